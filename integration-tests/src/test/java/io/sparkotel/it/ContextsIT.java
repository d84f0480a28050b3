package io.sparkotel.it;

import static io.sparkotel.it.TraceAssert.application;
import static io.sparkotel.it.TraceAssert.assertThatTrace;
import static io.sparkotel.it.TraceAssert.job;
import static io.sparkotel.it.TraceAssert.stage;
import static io.sparkotel.it.TraceAssert.started;
import static io.sparkotel.it.TraceAssert.task;
import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.scenarios.StopTwice;
import io.sparkotel.scenarios.TwoContexts;
import java.util.List;

/** One trace for each SparkContext of a JVM, whatever it does besides. */
class ContextsIT {

  @OnEachSpark
  void twoContextsAreTwoTraces(SparkVersion version) {
    List<Trace> traces = TracedRun.of(SparkRun.of(version, TwoContexts.class)).traces();

    assertThat(traces).hasSize(2);
    assertThatTrace(traces.get(0))
        .isTree(
            application(
                    "spark.application",
                    started(),
                    job(
                        "job count at TwoContexts.java:14",
                        stage("stage count at TwoContexts.java:14", task())))
                .with("spark.jobs.total", 1)
                .with("spark.tasks.total", 1));
    assertThatTrace(traces.get(1))
        .isTree(
            application(
                    "spark.application",
                    started(),
                    job(
                        "job collect at TwoContexts.java:17",
                        stage("stage collect at TwoContexts.java:17", task().times(2))))
                .with("spark.jobs.total", 1)
                .with("spark.tasks.total", 2));
    assertThat(traces)
        .extracting(trace -> trace.application().resource().get("service.name"))
        .containsExactly("first context", "second context");
  }

  @OnEachSpark
  void aContextThatIsStoppedTwiceIsOneTrace(SparkVersion version) {
    assertThatTrace(TracedRun.of(SparkRun.of(version, StopTwice.class)).trace())
        .isTree(
            application(
                    "spark.application",
                    started(),
                    job(
                        "job count at StopTwice.java:14",
                        stage("stage count at StopTwice.java:14", task())))
                .without("spark.exit_code", "spark.incomplete"));
  }
}
