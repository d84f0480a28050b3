package io.sparkotel.agent.export;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TraceTreeTest {

  @Test
  void drawsDepthDurationsBarsAndNumbers() {
    String tree =
        new TraceTree(true, false)
            .render(
                List.of(
                    row("s", "j", "stage count", 5_000, 10_000, null, stage()),
                    row("a", "", "application demo", 0, 10_000, null, Map.of()),
                    row("t", "s", "task", 5_000, 6_000, "boom\n\tat x", task(7, 0)),
                    row("r", "s", "task", 6_000, 6_010, null, task(7, 1)),
                    row("j", "a", "job count at App.java:3", 5_000, 10_000, null, Map.of())));

    assertThat(tree.lines())
        .containsExactly(
            "application demo             10.00 s ████████████████████",
            "└─ job count at App.java:3    5.00 s ··········██████████",
            "   └─ stage count             5.00 s ··········██████████"
                + "  8 tasks, 1 failed, in 2.0 MiB, run 1 m 30 s",
            "      ├─ task 7               1.00 s ··········██········",
            "      │  ✗ IllegalStateException: boom",
            "      └─ task 7, retry 1       10 ms ············▎·······");
  }

  @Test
  void tellsAnErrorOfSeveralSpansOnce() {
    String error = "Job aborted: " + "x".repeat(200) + ": the cause";
    String tree =
        new TraceTree(true, false)
            .render(
                List.of(
                    row("j", null, "job", 0, 1_000, error, Map.of()),
                    row("s", "j", "stage", 0, 1_000, error, Map.of()),
                    row("t", "s", "task", 0, 1_000, "", Map.of())));

    assertThat(tree.lines().map(String::stripTrailing))
        .hasSize(5)
        .satisfies(lines -> assertThat(lines.get(1)).startsWith("│  ✗ Job aborted: x").hasSize(120))
        .satisfies(lines -> assertThat(lines.get(1)).contains("x…x").endsWith("x: the cause"))
        .satisfies(lines -> assertThat(lines.get(2)).startsWith("└─ stage"))
        .satisfies(lines -> assertThat(lines.get(4)).isEqualTo("      ✗ failed"));
  }

  @Test
  void neverGoesBeyondItsWidth() {
    Map<String, Object> numbers = new HashMap<>(stage());
    numbers.put("spark.shuffle.read.bytes", 1_000L);
    numbers.put("spark.shuffle.write.bytes", 1_000L);
    numbers.put("spark.spill.disk_bytes", 1_000L);
    String name = "sql \u001b[2J" + "long ".repeat(50);
    String tree =
        new TraceTree(true, false).render(List.of(row("s", null, name, 0, 1, null, numbers)));

    assertThat(tree.lines()).hasSize(1).allMatch(line -> line.length() <= 120);
    assertThat(tree).contains("…", "8 tasks").doesNotContain("\u001b");
  }

  @Test
  void ofManyTasksShowsTheFailedTheRetriesAndTheLongest() {
    List<TraceTree.Row> rows = new ArrayList<>();
    rows.add(row("s", null, "stage", 0, 1_000, null, Map.of()));
    for (int i = 0; i < 100; i++) {
      String error = i == 50 ? "lost" : null;
      rows.add(row("t" + i, "s", "task", 0, i, error, task(i, i == 51 ? 1 : 0)));
    }
    String tree = new TraceTree(false, false).render(rows);

    assertThat(tree.lines()).hasSize(11);
    assertThat(tree).contains("task 50", "task 51, retry 1", "task 99", "task 94");
    assertThat(tree).contains("`- ... 92 more tasks");
    assertThat(tree).doesNotContain("task 93").matches("\\p{ASCII}*");
  }

  /** Traces in which an application goes on stand below it, on the same axis. */
  @Test
  void drawsSeveralTraces() {
    Map<String, Object> next = Map.of("spark.entity", "continued", "spark.trace.part", 1L);
    List<TraceTree.Row> rows =
        List.of(
            row("j1", "c", "job", 60, 80, null, Map.of()),
            row("c", null, "spark.application.continued", 60, 60, null, next),
            row("j0", "a", "job", 0, 40, null, Map.of()),
            row("a", null, "spark.application", 0, 100, null, Map.of()));

    assertThat(new TraceTree(true, false).render(rows))
        .isEqualTo(
            """
            spark.application                100 ms ████████████████████
            └─ job                            40 ms ████████············
            spark.application.continued 1      0 ms ············▎·······
            └─ job                            20 ms ············████····
            """);
  }

  @Test
  void isBounded() {
    List<TraceTree.Row> rows = new ArrayList<>();
    for (int i = 0; i < 5_000; i++) {
      rows.add(row("j" + i, null, "job", i, i + 1, null, Map.of()));
    }
    String tree = new TraceTree(false, false).render(rows);

    assertThat(tree.lines()).hasSize(501).last().isEqualTo("... 4500 more spans");
  }

  @Test
  void coloursOnlyWhenAsked() {
    List<TraceTree.Row> rows = List.of(row("j", null, "job", 0, 1, "", Map.of()));

    assertThat(new TraceTree(true, true).render(rows)).contains("\u001b[31m");
    assertThat(new TraceTree(true, false).render(rows)).doesNotContain("\u001b");
  }

  private static Map<String, Object> stage() {
    return Map.of(
        "spark.tasks.total",
        8L,
        "spark.tasks.failed",
        1L,
        "spark.executor.run_time_ms",
        90_000L,
        "spark.input.bytes",
        2L << 20);
  }

  private static Map<String, Object> task(long index, long attempt) {
    return Map.of(
        "spark.entity",
        "task",
        "spark.task.index",
        index,
        "spark.task.attempt",
        attempt,
        "error.type",
        "java.lang.IllegalStateException");
  }

  private static TraceTree.Row row(
      String id,
      String parent,
      String name,
      long startMillis,
      long endMillis,
      String error,
      Map<String, Object> attributes) {
    return new TraceTree.Row(
        id, parent, name, startMillis * 1_000_000, endMillis * 1_000_000, error, attributes::get);
  }
}
