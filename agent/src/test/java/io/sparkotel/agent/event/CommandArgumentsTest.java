package io.sparkotel.agent.event;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CommandArgumentsTest {

  private static final String DESCRIPTION =
      """
      == Physical Plan ==
      Execute InsertIntoDataSourceDirCommand (1)
         +- InsertIntoDataSourceDirCommand (2)


      (1) Execute InsertIntoDataSourceDirCommand
      Output: []

      (2) InsertIntoDataSourceDirCommand
      Arguments: Storage(Location: /tmp/directory), csv, true

      (3) Range
      Arguments: 0
      """;

  @Test
  void ofACommandThatStandsByItsNameAlone() {
    assertThat(of("Execute InsertIntoDataSourceDirCommand", "", DESCRIPTION))
        .isEqualTo("Storage(Location: /tmp/directory), csv, true");
    assertThat(of("Execute X", "", "\n(2) X\nArguments: a")).isEqualTo("a");
    assertThat(of("Execute X", "", "\n(2) X\nArguments: " + "a".repeat(9_000))).hasSize(2_000);
  }

  /** A table of a catalog is described in lines; the children of a command may come first. */
  @Test
  void ofSeveralLinesAndBehindOtherNodes() {
    assertThat(
            of(
                "Execute X",
                "",
                "\n(2) Range\nArguments: 0\n\n(3) X\nArguments: T(\nTable: t), b\n\n(4) Y\n"))
        .isEqualTo("T(\nTable: t), b");
  }

  @Test
  void noneWhereNobodyTells() {
    assertThat(of("Execute Other", "", DESCRIPTION)).isNull();
    assertThat(of("Execute InsertIntoDataSourceDirCommand", " a, b", DESCRIPTION)).isNull();
    assertThat(of("InsertIntoDataSourceDirCommand", "", DESCRIPTION)).isNull();
    assertThat(of("Execute X", "", null)).isNull();
    assertThat(CommandArguments.of(null, DESCRIPTION)).isNull();
    assertThat(of("Execute X", "", "x".repeat(100_001) + "\n(2) X\nArguments: a")).isNull();
  }

  private static String of(String name, String more, String description) {
    return CommandArguments.of(new PlanNode(name, name + more, null, null, null), description);
  }
}
