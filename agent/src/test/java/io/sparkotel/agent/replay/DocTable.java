package io.sparkotel.agent.replay;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A part of a page in docs that a test makes, between {@code <!-- NAME -->} and {@code <!-- end of
 * NAME -->}. With {@code -Ddocs.update=true} it is written anew.
 */
public record DocTable(Path page, String name) {

  public static DocTable of(String page, String name) {
    Path docs = Path.of(System.getProperty("basedir", "."), "..", "docs");
    return new DocTable(docs.resolve(page).normalize(), name);
  }

  public void assertIs(String table) {
    try {
      String text = Files.readString(page);
      String begin = "<!-- " + name + " -->\n";
      int start = text.indexOf(begin) + begin.length();
      int end = text.indexOf("<!-- end of " + name + " -->");
      assertThat(start).isGreaterThanOrEqualTo(begin.length());
      assertThat(end).isGreaterThanOrEqualTo(start);
      if (Boolean.getBoolean("docs.update")) {
        Files.writeString(page, text.substring(0, start) + table + text.substring(end));
      } else {
        assertThat(text.substring(start, end))
            .as("%s is stale: run with -Ddocs.update=true", page)
            .isEqualTo(table);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
