package io.sparkotel.agent.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ReferenceDocTest {

  private static final Path PAGE =
      Path.of(System.getProperty("basedir", "."), "..", "docs", "configuration.md").normalize();

  @Test
  void pageInDocsIsWhatTheSettingsSay() throws IOException {
    String page = ReferenceDoc.page();
    if (Boolean.getBoolean("docs.update")) {
      Files.createDirectories(PAGE.toAbsolutePath().getParent());
      Files.writeString(PAGE, page);
    }
    assertThat(PAGE)
        .as(
            "docs/configuration.md is generated; to write it anew run"
                + " mvn test -pl bootstrap,agent -Dtest=ReferenceDocTest -Ddocs.update=true"
                + " -Dsurefire.failIfNoSpecifiedTests=false")
        .exists()
        .content()
        .isEqualTo(page);
  }

  @Test
  void pageNamesEverySettingInEveryForm() {
    String page = ReferenceDoc.page();
    assertThat(Settings.all())
        .allSatisfy(
            setting -> {
              assertThat(page).contains("| `" + setting.key() + "`");
              if (setting.scope() == Setting.Scope.ANY) {
                assertThat(page)
                    .contains("`" + setting.environmentName() + "`<br>`" + setting.sparkName());
              }
            });
  }

  @Test
  void everyRowHasFiveCells() {
    assertThat(ReferenceDoc.page().lines().filter(line -> line.startsWith("| `otel.")))
        .filteredOn(line -> !line.contains("`spark.otel.sql.text` |"))
        .filteredOn(line -> line.contains("<br>"))
        .isNotEmpty()
        .allSatisfy(line -> assertThat(line.split("(?<!\\\\)\\|")).hasSize(6));
  }
}
