package io.sparkotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ConsoleTreeTest {

  private static final String TREE =
      """
      spark.application report             12.50 s ████████████████████  3 tasks, 1 failed, in 2.1 KiB
      └─ job count at A.java:1              1.32 s ···········▉········  3 tasks, 1 failed, run 277 ms
         └─ stage count at A.java:1          95 ms ···········▊········  3 tasks, 1 failed
            ├─ task 0                       720 ms ············▌·······
            │  ✗ IllegalStateException: store 42
            └─ task 1                     1 m 02 s ············▌·······  spilled 3.0 MiB
      """;

  @Test
  void timesBarsAndSizesAreNotCompared() {
    assertThat(ConsoleTree.comparable(TREE))
        .isEqualTo(
            """
            spark.application report: 3 tasks, 1 failed
              job count at A.java:1: 3 tasks, 1 failed
                stage count at A.java:1: 3 tasks, 1 failed
                  task 0 ✗ IllegalStateException: store N
                  task 1: spilled SIZE
            """);
  }

  @Test
  void theOrderOfSiblingsIsNotCompared() {
    assertThat(ConsoleTree.comparable(TREE.replace("task 0", "task 2").replace("task 1", "task 0")))
        .isEqualTo(
            ConsoleTree.comparable(TREE)
                .replace("task 0 ✗ IllegalStateException: store N", "task 0: spilled SIZE")
                .replace("task 1: spilled SIZE", "task 2 ✗ IllegalStateException: store N"));
  }

  @Test
  void ofManyTasksItIsNotComparedWhichAreShown() {
    String many = TREE + "      └─ … 12 more tasks\n";
    assertThat(ConsoleTree.comparable(many))
        .isEqualTo(ConsoleTree.comparable(many.replace("task 1", "task 7")))
        .isNotEqualTo(ConsoleTree.comparable(many.replace("12 more", "13 more")))
        .contains("    task: spilled SIZE\n");
  }
}
