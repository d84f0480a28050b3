package io.sparkotel.agent.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LabelsTest {

  private static final String NATIVE = "save at NativeMethodAccessorImpl.java:0";
  private static final String FUTURE = "$anonfun$withThreadLocalCaptured$1 at FutureTask.java:264";

  private final ModelFixture app = ModelFixture.app();

  @Test
  void namesAJobByItsResultStage() {
    ModelFixture.Stage result = app.stage(4, 1).named("count at /home/ann/Report.scala:31", "");
    ModelFixture.Stage map = app.stage(2, 1).named("map at /home/ann/Report.scala:12", "");
    app.job(0, result, map).start();
    map.submit().complete();
    SpanTree tree = app.finish();
    assertThat(tree.get("job 0").getName()).isEqualTo("job count at Report.scala:31");
    assertThat(tree.get("stage 2.0").getName()).isEqualTo("stage map at Report.scala:12");
  }

  @Test
  void looksIntoTheLongCallSite() {
    ModelFixture.Stage stage =
        app.stage(0, 1)
            .named(
                NATIVE,
                "org.apache.spark.sql.Dataset.count(Dataset.scala:3000)\n"
                    + "com.acme.Report.run(Report.java:8)");
    app.job(0, stage).start();
    assertThat(app.finish().get("job 0").getName()).isEqualTo("job count at Report.java:8");
  }

  @Test
  void fallsBackToThePlanAndFromTheJobToItsQuery() {
    app.sql(0)
        .described(NATIVE)
        .planned(
            ModelFixture.node(
                "Execute InsertIntoHadoopFsRelationCommand",
                "Execute InsertIntoHadoopFsRelationCommand file:/x, false, Parquet, [a=b], Append"))
        .start();
    ModelFixture.Stage stage = app.stage(0, 1).named(NATIVE, NATIVE);
    app.job(0, stage).sql(0).start();
    stage.submit().complete();
    ModelFixture.Stage broadcast = app.stage(1, 1).named(FUTURE, "");
    app.job(1, broadcast)
        .sql(0)
        .property("spark.job.description", "broadcast exchange (runId 1-2-3)")
        .start();
    broadcast.submit().complete();

    SpanTree tree = app.finish();
    assertThat(tree.get("sql 0").getName()).isEqualTo("sql write parquet");
    assertThat(tree.get("job 0").getName()).isEqualTo("job write parquet");
    assertThat(tree.get("stage 0.0").getName()).isEqualTo("stage write parquet");
    assertThat(tree.get("job 1").getName()).isEqualTo("job broadcast exchange");
    assertThat(tree.get("stage 1.0").getName()).isEqualTo("stage broadcast exchange");
    assertThat(tree.value("stage 1.0", "spark.stage.name")).isEqualTo(FUTURE);
  }

  @Test
  void hasANameWhereNothingIsKnown() {
    app.sql(0).described(null).planned(null).start();
    app.job(0).start();
    app.stage(0, 1).named(null, null).submit();
    app.stage(1, 1).named(FUTURE, null).submit();
    SpanTree tree = app.finish();
    assertThat(tree.get("sql 0").getName()).isEqualTo("sql");
    assertThat(tree.get("job 0").getName()).isEqualTo("job");
    assertThat(tree.get("stage 0.0").getName()).isEqualTo("stage");
    assertThat(tree.get("stage 1.0").getName()).isEqualTo("stage " + FUTURE);
  }
}
