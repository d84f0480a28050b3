package io.sparkotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A table of the README that a suite's results make, between {@code <!-- NAME -->} and {@code <!--
 * end of NAME -->}. With {@code -Ddocs.update=true} the page is written anew.
 */
record ReadmeTable(String name) {

  void assertIs(String table) {
    Path page = Layout.readme();
    try {
      String text = Files.readString(page);
      String begin = "<!-- " + name + " -->\n";
      int start = text.indexOf(begin) + begin.length();
      int end = text.indexOf("<!-- end of " + name + " -->");
      assertThat(start).isGreaterThanOrEqualTo(begin.length());
      assertThat(end).isGreaterThan(start);
      if (Boolean.getBoolean("docs.update")) {
        Files.writeString(page, text.substring(0, start) + table + text.substring(end));
      } else {
        assertThat(text.substring(start, end))
            .as("the README's table is stale: run with -Ddocs.update=true")
            .isEqualTo(table);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
