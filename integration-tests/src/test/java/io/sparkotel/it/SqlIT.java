package io.sparkotel.it;

import static io.sparkotel.it.TraceAssert.application;
import static io.sparkotel.it.TraceAssert.assertThatTrace;
import static io.sparkotel.it.TraceAssert.job;
import static io.sparkotel.it.TraceAssert.sql;
import static io.sparkotel.it.TraceAssert.stage;
import static io.sparkotel.it.TraceAssert.started;
import static io.sparkotel.it.TraceAssert.task;
import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.scenarios.NestedSql;
import io.sparkotel.scenarios.SqlJoin;

/** SQL executions with their jobs, and commands. */
class SqlIT {

  @OnEachSpark
  void joinWithBroadcastAndAdaptiveExecution(SparkVersion version) {
    SparkRun spark = SparkRun.of(version, SqlJoin.class);
    TracedRun run = TracedRun.of(spark.args(spark.dir().resolve("out")));

    assertThat(run.stdout()).isEqualTo("customers: 10\nrows: 10");
    assertThat(run.process().stderrLines()).hasSize(2);
    assertThatTrace(run.trace())
        .isTree(
            application(
                    "spark.application",
                    started(),
                    sql("sql createOrReplaceTempView at SqlJoin.java:24"),
                    sql("sql createOrReplaceTempView at SqlJoin.java:28"),
                    sql(
                            "sql count at SqlJoin.java:33",
                            broadcast().with("spark.job.id", 0),
                            job(
                                    "job count at SqlJoin.java:33",
                                    stage("stage count at SqlJoin.java:33", task().times(4))
                                        .with("spark.input.records", 1000)
                                        .with("spark.shuffle.write.records", 40)
                                        .with("spark.sql.execution.id", 2)
                                        .with("spark.job.id", 1))
                                .with("spark.sql.execution.id", 2)
                                .without("spark.job.tags"),
                            job(
                                    "job count at SqlJoin.java:33",
                                    stage("stage count at SqlJoin.java:33", task()))
                                .with("spark.stages.skipped", 1),
                            job(
                                    "job count at SqlJoin.java:33",
                                    stage("stage count at SqlJoin.java:33", task()))
                                .with("spark.stages.skipped", 2))
                        .with("spark.sql.execution.id", 2)
                        .with("spark.sql.execution.root_id", 2)
                        .with("spark.sql.description", "count at SqlJoin.java:33")
                        .with("spark.sql.plan", "AdaptiveSparkPlan isFinalPlan=true\n*Broadcast*")
                        .with("spark.jobs.total", 4)
                        .with("spark.jobs.succeeded", 4)
                        .with("spark.stages.total", 4)
                        .with("spark.stages.skipped", 3)
                        .with("spark.tasks.total", 7)
                        .with("spark.input.records", 1010)
                        .without("spark.sql.nested", "error.type"),
                    sql(
                            "sql collectAsList at SqlJoin.java:34",
                            broadcast().with("spark.job.id", 4),
                            job(
                                "job collectAsList at SqlJoin.java:34",
                                stage("stage collectAsList at SqlJoin.java:34", task().times(4))),
                            job(
                                "job collectAsList at SqlJoin.java:34",
                                stage("stage collectAsList at SqlJoin.java:34", task())))
                        .with("spark.sql.execution.id", 3)
                        .with("spark.jobs.total", 3)
                        .with("spark.tasks.total", 6),
                    sql(
                            "sql parquet at SqlJoin.java:35",
                            broadcast().with("spark.job.id", 7),
                            job(
                                "job parquet at SqlJoin.java:35",
                                stage("stage parquet at SqlJoin.java:35", task().times(4))),
                            job(
                                "job parquet at SqlJoin.java:35",
                                stage("stage parquet at SqlJoin.java:35", task())
                                    .with("spark.output.records", 10)))
                        .with("spark.sql.execution.id", 4)
                        .with("spark.output.records", 10)
                        .with("spark.tasks.total", 6))
                .with("spark.jobs.total", 10)
                .with("spark.stages.total", 10)
                .with("spark.stages.skipped", 5)
                .with("spark.tasks.total", 19)
                .with("spark.input.records", 3030)
                .with("spark.output.records", 10)
                .with("spark.conf.spark.sql.adaptive.enabled", "true")
                .with("spark.conf.spark.sql.shuffle.partitions", "2")
                .without("spark.incomplete", "spark.exit_code", "spark.findings"));
  }

  private static SpanPattern broadcast() {
    return job(
            "job broadcast exchange",
            stage("stage broadcast exchange", task()).with("spark.input.records", 10))
        .with("spark.tasks.total", 1);
  }

  @OnEachSpark
  void commandsAndNestedExecutions(SparkVersion version) {
    TracedRun run = TracedRun.of(SparkRun.of(version, NestedSql.class));

    assertThatTrace(run.trace())
        .isTree(
            application(
                    "spark.application",
                    started(),
                    sql("sql sql at NestedSql.java:12")
                        .with("spark.sql.execution.id", 0)
                        .with("spark.jobs.total", 0)
                        .with("spark.sql.plan", "Execute CreateDataSourceTableCommand*")
                        .without("spark.executor.run_time_ms"),
                    sql(
                            "sql sql at NestedSql.java:13",
                            sql(
                                    "sql sql at NestedSql.java:13",
                                    job(
                                        "job sql at NestedSql.java:13",
                                        stage("stage sql at NestedSql.java:13", task().times(2))
                                            .with("spark.output.records", 100)))
                                .with("spark.sql.execution.id", 2)
                                .with("spark.sql.execution.root_id", 1)
                                .with("spark.sql.nested", true)
                                .with("spark.jobs.total", 1)
                                .with("spark.output.records", 100))
                        .with("spark.sql.execution.id", 1)
                        .with("spark.sql.execution.root_id", 1)
                        .with("spark.jobs.total", 1)
                        .with("spark.output.records", 100)
                        .without("spark.sql.nested"),
                    sql(
                            "sql sql at NestedSql.java:15",
                            job(
                                "job sql at NestedSql.java:15",
                                stage("stage sql at NestedSql.java:15", task().times(2))))
                        .with("spark.sql.execution.id", 3)
                        .with("spark.output.records", 100),
                    sql("sql sql at NestedSql.java:16").with("spark.sql.execution.id", 4),
                    sql("sql collectAsList at NestedSql.java:16").with("spark.sql.execution.id", 5),
                    sql(
                            "sql count at NestedSql.java:17",
                            job(
                                "job count at NestedSql.java:17",
                                stage("stage count at NestedSql.java:17", task().times(2))),
                            job(
                                    "job count at NestedSql.java:17",
                                    stage("stage count at NestedSql.java:17", task()))
                                .with("spark.stages.skipped", 1))
                        .with("spark.sql.execution.id", 6)
                        .with("spark.jobs.total", 2),
                    sql("sql sql at NestedSql.java:18").with("spark.sql.execution.id", 7),
                    sql("sql sql at NestedSql.java:19").with("spark.sql.execution.id", 8))
                .with("spark.jobs.total", 4)
                .with("spark.output.records", 200));
  }
}
