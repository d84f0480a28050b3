package io.sparkotel.agent.model;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The texts of {@code secrets.txt}, whose head says how to read it. */
final class SecretCorpus {

  /** So many chars of a secret in a row are a leak. */
  private static final int WINDOW = 6;

  private static final Pattern MARKED = Pattern.compile("«(.*?)»", Pattern.DOTALL);

  private SecretCorpus() {}

  /**
   * @param key of a setting; null for a text
   * @param text without marks
   * @param secrets as marked in it
   * @param known why it leaks; null where it must not
   */
  record Sample(int line, String key, String text, List<String> secrets, String known) {

    /** What was found of the secrets, in the Latin-1 form of the bytes. */
    Set<String> leaked(String sent) {
      Set<String> found = new TreeSet<>();
      for (String secret : secrets) {
        String bytes = latin1(secret.getBytes(StandardCharsets.UTF_8));
        int window = Math.min(WINDOW, bytes.length());
        for (int i = 0; i + window <= bytes.length(); i++) {
          String part = bytes.substring(i, i + window);
          if (sent.contains(part)) {
            found.add(part);
          }
        }
      }
      return found;
    }

    @Override
    public String toString() {
      return "line " + line + ": " + (key == null ? "" : key + " ") + text;
    }
  }

  static String latin1(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  static List<Sample> read() {
    List<Sample> samples = new ArrayList<>();
    String reason = null;
    String[] lines = file().split("\n");
    for (int i = 0; i < lines.length; i++) {
      String line = lines[i].replace("·", "").replace('⏎', '\n');
      if (line.startsWith("! ")) {
        reason = line.substring(2);
      } else if (!line.isEmpty() && !line.startsWith("#")) {
        samples.add(sample(i + 1, line, reason));
        reason = null;
      }
    }
    return samples;
  }

  private static Sample sample(int number, String line, String known) {
    String key = null;
    String text = line;
    if (line.startsWith("conf ")) {
      int space = line.indexOf(' ', "conf ".length());
      key = line.substring("conf ".length(), space);
      text = line.substring(space + 1);
    }
    List<String> secrets = new ArrayList<>();
    for (Matcher marked = MARKED.matcher(text); marked.find(); ) {
      secrets.add(marked.group(1));
    }
    if (secrets.isEmpty()) {
      throw new AssertionError("no secret in line " + number);
    }
    return new Sample(number, key, text.replaceAll("[«»]", ""), secrets, known);
  }

  private static String file() {
    try (InputStream in = SecretCorpus.class.getResourceAsStream("secrets.txt")) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
