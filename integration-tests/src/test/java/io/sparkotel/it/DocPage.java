package io.sparkotel.it;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A page of docs with fenced blocks, which are named by the heading above them ({@code ## ...}),
 * their language, and their number among those.
 */
record DocPage(Path path) {

  private record Place(int from, int to) {}

  static DocPage of(String name) {
    return new DocPage(Layout.telemetryReference().resolveSibling(name));
  }

  /** The headings, in order. */
  List<String> headings() {
    return Pattern.compile("(?m)^## (.*)$").matcher(text()).results().map(m -> m.group(1)).toList();
  }

  /** The texts of the blocks of that language below the heading, each line ended by {@code \n}. */
  List<String> blocks(String heading, String language) {
    String text = text();
    return places(text, heading, language).stream()
        .map(place -> text.substring(place.from, place.to))
        .toList();
  }

  /** Writes another text into one of {@link #blocks}. */
  void replace(String heading, String language, int index, String block) {
    String text = text();
    Place place = places(text, heading, language).get(index);
    try {
      Files.writeString(path, text.substring(0, place.from) + block + text.substring(place.to));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<Place> places(String text, String heading, String language) {
    String line = "\n## " + heading + "\n";
    int from = text.indexOf(line);
    if (from < 0) {
      throw new AssertionError("no heading " + heading);
    }
    int next = text.indexOf("\n## ", from + 1);
    Matcher fence =
        Pattern.compile("\n```" + language + "\n(.*?)```\n", Pattern.DOTALL)
            .matcher(text)
            .region(from, next < 0 ? text.length() : next);
    List<Place> places = new ArrayList<>();
    while (fence.find()) {
      places.add(new Place(fence.start(1), fence.end(1)));
    }
    return places;
  }

  private String text() {
    try {
      return Files.readString(path);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
