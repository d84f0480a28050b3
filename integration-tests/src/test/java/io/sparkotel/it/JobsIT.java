package io.sparkotel.it;

import static io.sparkotel.it.TraceAssert.application;
import static io.sparkotel.it.TraceAssert.assertThatTrace;
import static io.sparkotel.it.TraceAssert.continued;
import static io.sparkotel.it.TraceAssert.job;
import static io.sparkotel.it.TraceAssert.stage;
import static io.sparkotel.it.TraceAssert.started;
import static io.sparkotel.it.TraceAssert.task;
import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.scenarios.Cancelled;
import io.sparkotel.scenarios.FailingJob;
import io.sparkotel.scenarios.JobGroups;
import io.sparkotel.scenarios.ZeroPartitions;
import java.util.List;

/** How jobs end, and what the user says of them. */
class JobsIT {

  @OnEachSpark
  void aHandledFailureFailsItsJobOnly(SparkVersion version) {
    String abort =
        "Job aborted due to stage failure: Task 0 in stage 0.0 failed 1 times, most recent failure:"
            + " Lost task 0.0 in stage 0.0 (TID 0) (localhost executor driver):"
            + " java.lang.IllegalArgumentException: bad record 3";
    String type = "java.lang.IllegalArgumentException";

    assertThatTrace(TracedRun.of(SparkRun.of(version, FailingJob.class)).trace())
        .isTree(
            application(
                    "spark.application",
                    started(),
                    job(
                            "job foreach at FailingJob.java:17",
                            stage(
                                    "stage foreach at FailingJob.java:17",
                                    task()
                                        .with("error.type", type)
                                        .failed("bad record 3")
                                        .event(
                                            "exception",
                                            "exception.type",
                                            type,
                                            "exception.message",
                                            "bad record 3",
                                            "exception.stacktrace",
                                            type + ": bad record 3\n*(FailingJob.java:20)\n*"))
                                .with("error.type", type)
                                .with("spark.stage.failure_reason", abort + "*")
                                .with("spark.tasks.failed", 1)
                                .with("spark.tasks.succeeded", 0)
                                .without("spark.stage.task_duration_ms.p50", "spark.stage.skew")
                                .failed(abort)
                                .event(
                                    "exception",
                                    "exception.type",
                                    type,
                                    "exception.message",
                                    "bad record 3"))
                        .with("error.type", type)
                        .with("spark.job.result", "failed")
                        .with("spark.stages.failed", 1)
                        .failed(abort)
                        .event(
                            "exception",
                            "exception.type",
                            type,
                            "exception.message",
                            abort,
                            "exception.stacktrace",
                            abort + "\n*(FailingJob.java:20)\n*Driver stacktrace:*"),
                    job(
                            "job count at FailingJob.java:27",
                            stage("stage count at FailingJob.java:27", task()))
                        .with("spark.job.result", "succeeded"))
                .with("spark.jobs.total", 2)
                .with("spark.jobs.succeeded", 1)
                .with("spark.jobs.failed", 1)
                .with("spark.stages.failed", 1)
                .with("spark.tasks.failed", 1)
                .without("error.type"));
  }

  @OnEachSpark
  void aJobWithoutPartitionsHasNoStage(SparkVersion version) {
    assertThatTrace(TracedRun.of(SparkRun.of(version, ZeroPartitions.class)).trace())
        .isTree(
            application(
                    "spark.application",
                    started(),
                    // Spark names such a job nowhere: there is no result stage to take it from.
                    job("job")
                        .with("spark.job.id", 0)
                        .with("spark.job.result", "succeeded")
                        .with("spark.stages.total", 0)
                        .with("spark.stages.skipped", 0)
                        .with("spark.tasks.total", 0))
                .with("spark.jobs.succeeded", 1)
                .with("spark.stages.total", 0)
                .with("spark.tasks.total", 0));
  }

  @OnEachSpark
  void groupsDescriptionsAndTagsOfTheUser(SparkVersion version) {
    assertThatTrace(TracedRun.of(SparkRun.of(version, JobGroups.class)).trace())
        .isTree(
            application(
                "spark.application",
                started(),
                job(
                        "job count at JobGroups.java:20",
                        stage("stage count at JobGroups.java:20", task()))
                    .with("spark.job.group", "nightly")
                    .with("spark.job.description", "load of the night")
                    .without("spark.job.tags", "spark.scheduler.pool"),
                job(
                        "job count at JobGroups.java:23",
                        stage("stage count at JobGroups.java:23", task()))
                    .with("spark.job.description", "only described")
                    .without("spark.job.group", "spark.job.tags"),
                job(
                        "job count at JobGroups.java:26",
                        stage("stage count at JobGroups.java:26", task()))
                    .with("spark.job.tags", List.of("team-a"))
                    .without("spark.job.group", "spark.job.description"),
                job(
                        "job count at JobGroups.java:28",
                        stage("stage count at JobGroups.java:28", task()))
                    .without("spark.job.group", "spark.job.description", "spark.job.tags")));
  }

  /** Two jobs a trace: the second trace is the third and fourth job's. */
  @OnEachSpark
  void moreJobsThanATraceHolds(SparkVersion version) {
    SparkRun run =
        EventLogs.writtenBy(
            SparkRun.of(version, JobGroups.class).conf("spark.otel.trace.max-jobs", 2));
    TracedRun traced = TracedRun.of(run);

    List<Trace> traces = traced.traces();
    assertThat(traces).hasSize(2);
    assertThatTrace(traces.get(0))
        .isTree(
            application(
                    "spark.application",
                    started(),
                    job("job count at JobGroups.java:20").anyChildren(),
                    job("job count at JobGroups.java:23").anyChildren())
                .with("spark.jobs.total", 4)
                .with("spark.trace.units", 1)
                .linkOutside());
    assertThatTrace(traces.get(1))
        .isTree(
            continued(
                    job(
                            "job count at JobGroups.java:26",
                            stage("stage count at JobGroups.java:26", task()))
                        .with("spark.job.id", 2),
                    job("job count at JobGroups.java:28").anyChildren())
                .with("spark.trace.part", 1)
                .with("spark.trace.part.of", "job"));
    SpanNode application = traces.get(0).application();
    SpanNode next = traces.get(1).roots().get(0);
    assertThat(application.links()).extracting(SpanNode.Link::spanId).containsExactly(next.id());
    assertThat(next.links()).extracting(SpanNode.Link::spanId).containsExactly(application.id());
    assertThat(next.startNanos()).isEqualTo(traces.get(1).job(2).startNanos());
    // The replay's own settings say 500: the log's are those of the run.
    assertThat(EventLogs.differences(traced.receiver().spans(), EventLogs.replay(run).spans()))
        .isEmpty();
  }

  @OnEachSpark
  void aCancelledJobIsNoError(SparkVersion version) {
    TracedRun run = TracedRun.of(SparkRun.of(version, Cancelled.class));

    assertThat(run.stdout()).isEqualTo("handled: org.apache.spark.SparkException\ncount: 2");
    assertThatTrace(run.trace())
        .isTree(
            application(
                    "spark.application",
                    started(),
                    job(
                            "job foreach at Cancelled.java:35",
                            stage(
                                    "stage foreach at Cancelled.java:35",
                                    task()
                                        .with("spark.task.outcome", "TaskKilled")
                                        .with(
                                            "spark.task.kill_reason",
                                            "Stage cancelled: *cancelled*doomed*")
                                        .without("error.type")
                                        .times(2))
                                .with("spark.stage.failure_reason", "*cancelled*doomed*")
                                .with("spark.tasks.killed", 2)
                                .with("spark.tasks.failed", 0)
                                .without("error.type"))
                        .with("spark.job.group", "doomed")
                        .with("spark.job.result", "cancelled")
                        .with("spark.tasks.killed", 2)
                        .without("error.type"),
                    job(
                            "job count at Cancelled.java:46",
                            stage("stage count at Cancelled.java:46", task().times(2)))
                        .with("spark.job.result", "succeeded")
                        .without("spark.job.group"))
                // As Spark counts them.
                .with("spark.jobs.failed", 1)
                .with("spark.jobs.succeeded", 1)
                .with("spark.tasks.killed", 2)
                .with("spark.tasks.succeeded", 2));
  }
}
