package io.sparkotel.agent.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ReferenceDocTest {

  private static final Path PAGE =
      Path.of(System.getProperty("basedir", "."), "..", "docs", "telemetry.md").normalize();

  @Test
  void pageInDocsIsWhatTheRegistrySays() throws IOException {
    String page = ReferenceDoc.page();
    if (Boolean.getBoolean("docs.update")) {
      Files.writeString(PAGE, page);
    }
    assertThat(PAGE)
        .as(
            "docs/telemetry.md is generated; to write it anew run"
                + " mvn test -pl bootstrap,agent -Dtest=ReferenceDocTest -Ddocs.update=true"
                + " -Dsurefire.failIfNoSpecifiedTests=false")
        .content()
        .isEqualTo(page);
  }

  @Test
  void everyAttributeIsExplained() {
    assertThat(Names.all())
        .allSatisfy(
            attribute -> {
              assertThat(attribute.doc()).isNotBlank();
              assertThat(ReferenceDoc.page()).contains("| `" + attribute.name() + "` |");
            });
  }
}
