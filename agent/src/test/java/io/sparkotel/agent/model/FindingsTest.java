package io.sparkotel.agent.model;

import static io.sparkotel.agent.model.ModelFixture.node;
import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.agent.telemetry.FindingCode;
import io.sparkotel.agent.telemetry.Names;
import io.sparkotel.agent.telemetry.TaskMetric;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How findings come together on the spans above, and what settings make of them. */
class FindingsTest {

  private static final long GIB = 1L << 30;

  /** A query with one job for each of these sizes that a stage spilled. */
  private static void query(ModelFixture app, long... spilled) {
    ModelFixture.Sql sql = app.sql(0).start();
    for (int i = 0; i < spilled.length; i++) {
      ModelFixture.Stage stage = app.stage(i, 1);
      ModelFixture.Job job = app.job(i, stage).sql(0).start();
      stage.submit().run(10, TaskMetric.DISK_SPILLED, spilled[i]).complete();
      job.succeed();
    }
    sql.succeed();
  }

  private static String spill(long gib) {
    String size = gib == 1 ? "1024.0 MiB" : gib + ".0 GiB";
    return "tasks spilled 0.0 B of memory, " + size + " on disk; the most of one task is " + size;
  }

  @Test
  void theWorstComeFirstAndTheRestIsCounted() {
    ModelFixture app = ModelFixture.app();
    long[] sizes = new long[25];
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < sizes.length; i++) {
      // Neither the first ones nor the last ones are the worst.
      int rank = 7 * i % 25;
      sizes[i] = (rank + 1) * GIB;
    }
    query(app, sizes);
    for (int gib = 25; gib > 15; gib--) {
      for (int i = 0; i < sizes.length; i++) {
        if (sizes[i] == gib * GIB) {
          expected.add("stage " + i + ": " + spill(gib));
        }
      }
    }
    expected.add("and 15 more");
    SpanTree tree = app.finish();
    assertThat(tree.value("sql 0", Names.FINDINGS)).isEqualTo(expected);
    assertThat(tree.value("application", Names.FINDINGS)).isEqualTo(expected);
    assertThat(tree.value("stage 0.0", Names.FINDINGS)).isEqualTo(List.of(spill(1)));
    assertThat(tree.value("job 0", Names.FINDINGS)).isNull();
  }

  @Test
  void aNestedExecutionTellsItsRoot() {
    ModelFixture app = ModelFixture.app();
    ModelFixture.Sql root = app.sql(0).start();
    app.sql(1).under(0).planned(node("Filter", "Filter " + "a".repeat(1000))).start().succeed();
    root.succeed();
    SpanTree tree = app.finish();
    String sentence = "a filter has a condition of 1000 characters or more";
    assertThat(tree.value("sql 1", Names.FINDINGS)).isEqualTo(List.of(sentence));
    assertThat(tree.value("sql 0", Names.FINDINGS)).isEqualTo(List.of("sql 1: " + sentence));
    assertThat(tree.value("application", Names.FINDINGS)).isEqualTo(List.of("sql 1: " + sentence));
  }

  @Test
  void whatIsNotLookedForIsNotSaid() {
    for (String codes : List.of("none", "gc,skew", "-spill", "all,-spill")) {
      ModelFixture app = ModelFixture.app("otel.spark.findings=" + codes);
      query(app, GIB);
      SpanTree tree = app.finish();
      for (String key : List.of("task 0", "stage 0.0", "sql 0", "application")) {
        assertThat(tree.value(key, Names.FINDINGS)).isNull();
        assertThat(tree.value(key, FindingCode.SPILL.attribute())).isNull();
      }
    }
    ModelFixture app = ModelFixture.app("otel.spark.findings=-gc");
    query(app, GIB);
    assertThat(app.finish().value("task 0", FindingCode.SPILL.attribute())).isEqualTo(true);
  }

  @Test
  void thresholdsAreSettings() {
    ModelFixture app = ModelFixture.app("otel.spark.findings.thresholds=spill.size=2g");
    query(app, 2 * GIB - 1);
    assertThat(app.finish().value("stage 0.0", Names.FINDINGS)).isNull();
    app = ModelFixture.app("otel.spark.findings.thresholds=spill.size=1");
    query(app, 1, 0);
    SpanTree tree = app.finish();
    assertThat(tree.value("stage 0.0", Names.FINDINGS)).isNotNull();
    assertThat(tree.value("stage 1.0", Names.FINDINGS)).isNull();
  }
}
