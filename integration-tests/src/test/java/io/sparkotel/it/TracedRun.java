package io.sparkotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;

/**
 * A run with the agent that came to its end, and the receiver that it sent to. What holds of every
 * run was checked: the exit code, and that the agent said nothing but one line at the start and one
 * at the end of each application, both on stderr.
 */
record TracedRun(SparkProcess process, OtlpReceiver receiver) {

  private static final String PREFIX = "[spark-otel-agent] ";

  /** Exit code 0, over http/protobuf. */
  static TracedRun of(SparkRun run) {
    return of(run, 0);
  }

  /** Over http/protobuf. */
  static TracedRun of(SparkRun run, int exitCode) {
    return of(run, SparkRun::exportOverHttp, exitCode);
  }

  static TracedRun of(
      SparkRun run, BiFunction<SparkRun, OtlpReceiver, SparkRun> export, int exitCode) {
    try (OtlpReceiver receiver = OtlpReceiver.start()) {
      return ended(export.apply(run, receiver).start(), receiver, exitCode);
    }
  }

  /** Waits for the end of a started application. */
  static TracedRun ended(SparkProcess process, OtlpReceiver receiver, int exitCode) {
    process.assertExit(exitCode);
    assertThat(receiver.complaints()).isEmpty();
    TracedRun ended = new TracedRun(process, receiver);
    ended.assertLog();
    return ended;
  }

  Trace trace() {
    return receiver.trace();
  }

  List<Trace> traces() {
    return receiver.traces();
  }

  String stdout() {
    return process.stdout();
  }

  static List<String> agentLines(SparkProcess process) {
    return process.stderrLines().stream().filter(line -> line.contains("spark-otel")).toList();
  }

  private void assertLog() {
    List<String> expected = new ArrayList<>();
    for (Trace trace : traces()) {
      // Where an application goes on in a next trace, the log tells of the first.
      if (!trace.all("application").isEmpty()) {
        expected.add(startLine(trace));
        expected.add(endLine(trace));
      }
    }
    assertThat(agentLines(process)).containsExactlyInAnyOrderElementsOf(expected);
    assertThat(process.stdout()).doesNotContain("[spark-otel");
  }

  private String startLine(Trace trace) {
    SpanNode application = trace.application();
    boolean http = receiver.requests().get(0).protocol() == OtlpReceiver.Protocol.HTTP;
    return PREFIX
        + application.resource().get("telemetry.distro.version")
        + " traces "
        + application.resource().get("spark.app.id")
        + " as "
        + application.traceId()
        + ", to "
        + (http ? receiver.httpEndpoint() + "/v1/traces" : receiver.grpcEndpoint() + " (grpc)");
  }

  /** The application's own span is not yet counted in its attribute. */
  private String endLine(Trace trace) {
    SpanNode application = trace.application();
    Object id = application.resource().get("service.instance.id");
    long sent =
        receiver.spans().stream()
            .filter(span -> span.resource().get("service.instance.id").equals(id))
            .count();
    return PREFIX
        + application.resource().get("spark.app.id")
        + " ended: jobs "
        + application.attribute("spark.jobs.total")
        + ", stages "
        + application.attribute("spark.stages.total")
        + ", tasks "
        + application.attribute("spark.tasks.total")
        + ", executor run time "
        + sum(application, "spark.executor.run_time_ms")
        + " ms, records read "
        + sum(application, "spark.input.records")
        + ", records written "
        + sum(application, "spark.output.records")
        + "; spans sent "
        + sent
        + ", dropped 0";
  }

  /** Without tasks there is no sum to show. */
  private static Object sum(SpanNode span, String key) {
    Object value = span.attribute(key);
    return value == null ? 0 : value;
  }
}
