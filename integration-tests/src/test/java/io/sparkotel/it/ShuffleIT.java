package io.sparkotel.it;

import static io.sparkotel.it.TraceAssert.application;
import static io.sparkotel.it.TraceAssert.assertThatTrace;
import static io.sparkotel.it.TraceAssert.job;
import static io.sparkotel.it.TraceAssert.stage;
import static io.sparkotel.it.TraceAssert.started;
import static io.sparkotel.it.TraceAssert.task;
import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.scenarios.RddShuffle;
import io.sparkotel.scenarios.SharedStage;
import io.sparkotel.scenarios.StageRetry;
import java.util.List;

/** Stages that read from each other: a retried task, skipped, shared and retried stages. */
class ShuffleIT {

  @OnEachSpark
  void retriedTaskAndSkippedStage(SparkVersion version) {
    SparkRun run = SparkRun.of(version, RddShuffle.class).master("local[2,3]");

    assertThatTrace(TracedRun.of(run).trace()).isTree(retriedTaskAndSkippedStage());
  }

  @OnEachSpark
  void theSameOverGrpc(SparkVersion version) {
    SparkRun run = SparkRun.of(version, RddShuffle.class).master("local[2,3]");
    TracedRun traced = TracedRun.of(run, SparkRun::exportOverGrpc, 0);

    assertThat(traced.receiver().requests())
        .isNotEmpty()
        .allMatch(request -> request.protocol() == OtlpReceiver.Protocol.GRPC);
    assertThatTrace(traced.trace()).isTree(retriedTaskAndSkippedStage());
  }

  private static SpanPattern retriedTaskAndSkippedStage() {
    return application(
            "spark.application",
            started(),
            job(
                    "job count at RddShuffle.java:32",
                    stage(
                            "stage mapToPair at RddShuffle.java:22",
                            task()
                                .with("spark.task.id", 0)
                                .with("spark.task.index", 0)
                                .with("spark.task.attempt", 0)
                                .with("spark.task.partition", 0)
                                .with("spark.task.outcome", "ExceptionFailure")
                                .with("error.type", "java.lang.IllegalStateException")
                                .failed("fails once")
                                .event(
                                    "exception",
                                    "exception.type",
                                    "java.lang.IllegalStateException",
                                    "exception.message",
                                    "fails once",
                                    "exception.stacktrace",
                                    "java.lang.IllegalStateException: fails once\n"
                                        + "\tat io.sparkotel.scenarios.RddShuffle.*"
                                        + "(RddShuffle.java:26)\n*"),
                            task()
                                .with("spark.task.id", 1)
                                .with("spark.task.index", 1)
                                .with("spark.task.attempt", 0)
                                .with("spark.task.partition", 1)
                                .with("spark.task.outcome", "Success")
                                .with("spark.job.id", 0)
                                .with("spark.stage.id", 0)
                                .with("spark.stage.attempt", 0)
                                .with("spark.executor.id", "driver")
                                .with("spark.task.locality", "PROCESS_LOCAL")
                                .with("spark.task.speculative", false)
                                .with("spark.shuffle.write.records", 3)
                                .without("spark.shuffle.read.bytes", "spark.spill.disk_bytes"),
                            task()
                                .with("spark.task.id", 2)
                                .with("spark.task.index", 0)
                                .with("spark.task.attempt", 1)
                                .with("spark.task.outcome", "Success"))
                        .with("spark.entity", "stage")
                        .with("spark.stage.id", 0)
                        .with("spark.stage.attempt", 0)
                        .with("spark.job.id", 0)
                        .with("spark.stage.name", "mapToPair at RddShuffle.java:22")
                        .with("spark.stage.call_site", "*RddShuffle.main(RddShuffle.java:22)*")
                        .with("spark.tasks.total", 3)
                        .with("spark.tasks.succeeded", 2)
                        .with("spark.tasks.failed", 1)
                        .with("spark.tasks.killed", 0)
                        .with("spark.tasks.speculative", 0)
                        .with("spark.otel.tasks.not_exported", 0)
                        .with("spark.shuffle.write.records", 6)
                        .with("spark.shuffle.read.records", 0)
                        .with("spark.spill.disk_bytes", 0)
                        .has("spark.stage.task_duration_ms.p50", "spark.stage.slowest_task.index"),
                    stage("stage count at RddShuffle.java:32", task().times(2))
                        .with("spark.stage.id", 1)
                        .with("spark.stage.parent_ids", List.of("0"))
                        .with("spark.shuffle.read.records", 6)
                        .with("spark.shuffle.read.local_blocks", 4)
                        .with("spark.tasks.total", 2))
                .with("spark.entity", "job")
                .with("spark.job.id", 0)
                .with("spark.job.result", "succeeded")
                .with("spark.job.call_site", "count at RddShuffle.java:32")
                .with("spark.stages.total", 2)
                .with("spark.stages.failed", 0)
                .with("spark.stages.skipped", 0)
                .with("spark.tasks.total", 5)
                .with("spark.tasks.failed", 1),
            job(
                    "job collect at RddShuffle.java:33",
                    stage("stage collect at RddShuffle.java:33", task().times(2))
                        .with("spark.stage.id", 3))
                .with("spark.job.id", 1)
                .with("spark.stages.total", 1)
                .with("spark.stages.skipped", 1)
                .with("spark.tasks.total", 2))
        .with("spark.entity", "application")
        .with("spark.jobs.total", 2)
        .with("spark.jobs.succeeded", 2)
        .with("spark.jobs.failed", 0)
        .with("spark.stages.total", 3)
        .with("spark.stages.failed", 0)
        .with("spark.stages.skipped", 1)
        .with("spark.stages.retried", 0)
        .with("spark.tasks.total", 7)
        .with("spark.tasks.succeeded", 6)
        .with("spark.tasks.failed", 1)
        .with("spark.executors.max", 1)
        .with("spark.executors.removed", 0)
        .with("spark.master", "local[2,3]")
        .with("spark.deploy_mode", "client")
        .with("spark.otel.spans.exported", 13)
        .with("spark.otel.spans.dropped", 0)
        .with("spark.otel.events.dropped", 0)
        .with("spark.otel.tasks.not_exported", 0)
        .with("spark.otel.errors", 0)
        .with("spark.otel.anomalies", 0)
        .has("process.pid", "process.runtime.version", "os.type", "spark.scala.version")
        .without("spark.incomplete", "spark.exit_code", "error.type");
  }

  @OnEachSpark
  void aStageOfTwoJobsIsOneSpanWithALink(SparkVersion version) {
    assertThatTrace(TracedRun.of(SparkRun.of(version, SharedStage.class)).trace())
        .isTree(
            application(
                    "spark.application",
                    started(),
                    job(
                            "job count at SharedStage.java:36",
                            stage("stage mapToPair at SharedStage.java:30", task().times(2))
                                .with("spark.job.id", 0)
                                .linkTo("job", "spark.job.id", 1),
                            stage("stage count at SharedStage.java:36", task().times(2)))
                        .with("spark.stages.total", 2)
                        .with("spark.stages.skipped", 0)
                        .with("spark.tasks.total", 4),
                    job(
                            "job collect at SharedStage.java:39",
                            stage("stage collect at SharedStage.java:39", task().times(2)))
                        .with("spark.stages.total", 1)
                        .with("spark.tasks.total", 2))
                .with("spark.stages.total", 3)
                .with("spark.tasks.total", 6));
  }

  @OnEachSpark
  void stagesAreRetriedAfterAFetchFailure(SparkVersion version) {
    String fetchFailed = "org.apache.spark.shuffle.FetchFailedException*";

    assertThatTrace(TracedRun.of(SparkRun.of(version, StageRetry.class)).trace())
        .isTree(
            application(
                    "spark.application",
                    started(),
                    job(
                            "job count at StageRetry.java:44",
                            stage("stage mapToPair at StageRetry.java:31", task())
                                .with("spark.stage.id", 0)
                                .with("spark.stage.attempt", 0),
                            stage(
                                    "stage count at StageRetry.java:44",
                                    task()
                                        .with("spark.task.outcome", "FetchFailed")
                                        .with("error.type", "FetchFailed")
                                        .with("spark.stage.attempt", 0)
                                        .failed(fetchFailed)
                                        .event(
                                            "exception",
                                            "exception.type",
                                            "FetchFailed",
                                            "exception.message",
                                            "org.apache.spark.shuffle.FetchFailedException",
                                            "exception.stacktrace",
                                            fetchFailed
                                                + "Caused by: *NoSuchFileException: *shuffle_*"))
                                .with("spark.stage.id", 1)
                                .with("spark.stage.attempt", 0)
                                .with("spark.stage.failure_reason", fetchFailed)
                                .with("error.type", "FetchFailed")
                                .failed(fetchFailed)
                                .event("exception", "exception.type", "FetchFailed"),
                            stage("stage mapToPair at StageRetry.java:31", task())
                                .with("spark.stage.id", 0)
                                .with("spark.stage.attempt", 1)
                                .with("spark.stage.retry_reason", fetchFailed)
                                .linkTo("stage", "spark.stage.id", 0, "spark.stage.attempt", 0),
                            stage(
                                    "stage count at StageRetry.java:44",
                                    task().with("spark.stage.attempt", 1))
                                .with("spark.stage.id", 1)
                                .with("spark.stage.attempt", 1)
                                .with("spark.stage.retry_reason", fetchFailed)
                                .linkTo("stage", "spark.stage.id", 1, "spark.stage.attempt", 0))
                        .with("spark.stages.total", 4)
                        .with("spark.stages.failed", 1)
                        .with("spark.stages.retried", 2)
                        .with("spark.tasks.total", 4)
                        .with("spark.tasks.failed", 1)
                        .with("spark.job.result", "succeeded"))
                .with("spark.stages.total", 4)
                .with("spark.stages.retried", 2)
                .with("spark.jobs.succeeded", 1));
  }
}
