package io.sparkotel.agent.export;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
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
                    row("t", "s", "task", 5_000, 6_000, "boom\n\tat x", task(7)),
                    row("j", "a", "job count at App.java:3", 5_000, 10_000, null, Map.of())));

    assertThat(tree.lines().map(line -> line.replaceAll(" {2,}", "  ")))
        .containsExactly(
            "application demo  10.00 s ████████████████████████",
            "└─ job count at App.java:3  5.00 s ············████████████",
            "  └─ stage count  5.00 s ············████████████  8 tasks, run 1 m 30 s, in 2.0 MiB",
            "  └─ task 7  1.00 s ············██··········  failed: boom");
  }

  @Test
  void ofManyTasksShowsTheFailedAndTheLongest() {
    List<TraceTree.Row> rows = new ArrayList<>();
    rows.add(row("s", null, "stage", 0, 1_000, null, Map.of()));
    for (int i = 0; i < 100; i++) {
      String error = i == 50 ? "" : null;
      rows.add(row("t" + i, "s", "task", 0, i, error, task(i)));
    }
    String tree = new TraceTree(false, false).render(rows);

    assertThat(tree.lines()).hasSize(10);
    assertThat(tree).contains("task 50", "task 99", "task 93", "`- ... 92 more tasks");
    assertThat(tree).doesNotContain("task 92").matches("\\p{ASCII}*");
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
        "spark.executor.run_time_ms",
        90_000L,
        "spark.input.bytes",
        2L << 20);
  }

  private static Map<String, Object> task(long index) {
    return Map.of("spark.entity", "task", "spark.task.index", index);
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
