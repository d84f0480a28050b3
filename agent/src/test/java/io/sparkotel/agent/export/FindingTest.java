package io.sparkotel.agent.export;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FindingTest {

  @ParameterizedTest
  @EnumSource
  void isAHeadingOfTheDocs(Finding finding) throws IOException {
    List<String> lines = Files.readAllLines(Path.of("../docs/troubleshooting.md"));
    assertThat(lines).contains("### " + finding.template().replace("%s", "..."));
  }
}
