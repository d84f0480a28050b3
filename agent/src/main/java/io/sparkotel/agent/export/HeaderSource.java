package io.sparkotel.agent.export;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The headers of a request: the configured ones, and over them those of a file that is read again
 * when it changed, so that a token can be renewed under a running application.
 *
 * <p>The file holds {@code name=value} pairs, one a line or separated by commas; {@code #} starts a
 * comment line. A file that cannot be read leaves the headers as they were.
 */
final class HeaderSource implements Supplier<Map<String, String>> {

  private final Map<String, String> configured;
  private final File file;
  private Map<String, String> current;
  private long readModified = Long.MIN_VALUE;
  private long readLength;

  /**
   * @param file null for none
   */
  HeaderSource(Map<String, String> configured, File file) {
    this.configured = configured;
    this.file = file;
    this.current = configured;
  }

  @Override
  public synchronized Map<String, String> get() {
    if (file != null && (file.lastModified() != readModified || file.length() != readLength)) {
      read();
    }
    return current;
  }

  /** Reads the file whatever its time says; true when that made other headers. */
  synchronized boolean reload() {
    if (file == null) {
      return false;
    }
    Map<String, String> before = current;
    read();
    return !current.equals(before);
  }

  /**
   * Refuses what no request can carry.
   *
   * @throws ExportFailure that does not show the value
   */
  static void check(String name, String value) throws ExportFailure {
    if (name.chars().anyMatch(Character::isISOControl)
        || value.chars().anyMatch(Character::isISOControl)) {
      throw ExportFailure.refused("a header has a control character: " + name);
    }
  }

  private void read() {
    readModified = file.lastModified();
    readLength = file.length();
    Map<String, String> headers = new LinkedHashMap<>(configured);
    try {
      for (String line : Files.readAllLines(file.toPath(), StandardCharsets.UTF_8)) {
        if (!line.trim().startsWith("#")) {
          parse(line, headers);
        }
      }
      current = Collections.unmodifiableMap(headers);
    } catch (IOException e) {
      // Rotation replaces the file: for a moment it may be missing or half written. The headers at
      // hand serve until it is back; if they are wrong, the collector's answer says so.
      readModified = Long.MIN_VALUE;
    }
  }

  private static void parse(String line, Map<String, String> headers) {
    for (String pair : line.split(",")) {
      int equals = pair.indexOf('=');
      if (equals > 0) {
        String name = pair.substring(0, equals).trim();
        headers.keySet().removeIf(name::equalsIgnoreCase);
        headers.put(name, pair.substring(equals + 1).trim());
      }
    }
  }
}
