package io.sparkotel.it;

import static io.sparkotel.it.Spans.number;
import static io.sparkotel.it.Spans.span;
import static io.sparkotel.it.Spans.text;
import static io.sparkotel.it.TraceAssert.application;
import static io.sparkotel.it.TraceAssert.assertThatTrace;
import static io.sparkotel.it.TraceAssert.inAnyOrder;
import static io.sparkotel.it.TraceAssert.job;
import static io.sparkotel.it.TraceAssert.stage;
import static io.sparkotel.it.TraceAssert.started;
import static io.sparkotel.it.TraceAssert.task;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.proto.trace.v1.Status;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TraceAssertTest {

  /** An application with a marker and a job; its stage has two tasks, one failed and linked. */
  private static List<Span.Builder> builders() {
    List<Span.Builder> spans = new ArrayList<>();
    spans.add(span(1, 0, "application", "report", 1000));
    spans.add(span(2, 1, "started", "spark.application.started", 1000));
    spans.add(
        span(3, 1, "job", "count at A.java:1", 1010).addAttributes(number("spark.job.id", 0)));
    spans.add(
        span(4, 3, "stage", "count at A.java:1", 1011)
            .addAttributes(number("spark.stage.id", 0))
            .addAttributes(number("spark.tasks.total", 2)));
    spans.add(
        span(9, 4, "task", "task", 1012)
            .addAttributes(number("spark.task.id", 0))
            .setStatus(
                Status.newBuilder()
                    .setCode(Status.StatusCode.STATUS_CODE_ERROR)
                    .setMessage("no \"luck\""))
            .addEvents(
                Span.Event.newBuilder()
                    .setName("exception")
                    .addAttributes(text("exception.type", "java.lang.Error"))));
    spans.add(
        span(5, 4, "task", "task", 1012)
            .addAttributes(number("spark.task.id", 1))
            .addLinks(
                Span.Link.newBuilder()
                    .setTraceId(spans.get(0).getTraceId())
                    .setSpanId(Spans.id(3))));
    return spans;
  }

  private static Trace trace(List<Span.Builder> builders) {
    return Spans.trace(builders.stream().map(Span.Builder::build).toList());
  }

  private static SpanPattern good() {
    return application(
        "report",
        started(),
        job(
            "count at A.java:1",
            stage(
                    "count at A.java:*",
                    task().failed("no \"luck\"").event("exception", "exception.type", "*.Error"),
                    task().linkTo("job", "spark.job.id", 0))
                .with("spark.tasks.total", 2)
                .has("spark.stage.id")
                .without("spark.stage.skew")));
  }

  @Test
  void acceptsTheExactTreeWhateverTheOrderOfArrival() {
    List<Span.Builder> reversed = builders();
    Collections.reverse(reversed);

    assertThatTrace(trace(builders())).isTree(good());
    assertThatTrace(trace(reversed)).isTree(good());
  }

  @Test
  void writesTheActualTreeInItsOwnNotation() {
    assertThat(trace(builders()).toString())
        .isEqualTo(
            """
            application("report",
                started(),
                job("count at A.java:1",
                    stage("count at A.java:1",
                        task().failed("no \\"luck\\"").event("exception", "exception.type", \
            "java.lang.Error"),
                        task().linkTo("job", "spark.job.id", 0))))""");
  }

  @Test
  void writesEqualSiblingsOnceAndComparedAttributesOnly() {
    Trace trace =
        Spans.trace(
            List.of(
                span(1, 0, "stage", "s", 1).addAttributes(number("spark.tasks.total", 3)).build(),
                span(2, 1, "task", "task", 2).build(),
                span(3, 1, "task", "task", 2).build(),
                span(4, 1, "task", "task", 3).build()));

    assertThatThrownBy(
            () ->
                assertThatTrace(trace)
                    .isTree(stage("s", task().times(2)).with("spark.tasks.total", 2)))
        .hasMessageContaining("spark.tasks.total should be 2 but was 3")
        .hasMessageContaining("expected 2 children but was 3")
        .hasMessageEndingWith("stage(\"s\",\n    task().times(3)).with(\"spark.tasks.total\", 3)");
  }

  @Test
  void matchesAnyOrderAlsoWhereTheFirstFitIsNotTheRightOne() {
    Trace trace =
        Spans.trace(
            List.of(
                span(1, 0, "application", "a", 1).build(),
                span(2, 1, "job", "one", 2).build(),
                span(3, 1, "job", "two", 3).build()));

    assertThatTrace(trace).isTree(application("a", inAnyOrder(job("*"), job("one"))));
    assertThatTrace(trace).isTree(application("a", inAnyOrder(job("two"), job("one"))));
    assertThatThrownBy(
            () -> assertThatTrace(trace).isTree(application("a", inAnyOrder(job("two").times(2)))))
        .hasMessageContaining("in any order, no span is left for job \"two\"");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
  void refusesAnyDifference(int difference) {
    List<Span.Builder> spans = builders();
    Span.Builder task = spans.get(5);
    String complaint =
        switch (difference) {
          case 0 -> {
            spans.get(3).setName("collect at A.java:1");
            yield "expected stage \"count at A.java:*\" but was stage \"collect at A.java:1\"";
          }
          case 1 -> {
            task.clearLinks();
            yield "expected 1 links but was []";
          }
          case 2 -> {
            spans.get(4).clearStatus();
            yield "should be an error";
          }
          case 3 -> {
            spans.get(2).setStatus(spans.get(4).getStatus());
            yield "status should be unset";
          }
          case 4 -> {
            spans.get(4).clearEvents();
            yield "expected 1 events but was []";
          }
          case 5 -> {
            spans.get(3).addAttributes(number("spark.stage.skew", 1));
            yield "spark.stage.skew should not be there";
          }
          case 6 -> {
            task.setParentSpanId(Spans.id(77));
            yield "its parent 000000000000004d was not received";
          }
          case 7 -> {
            task.setEndTimeUnixNano(1);
            yield "from 1012000000 to 1";
          }
          case 8 -> {
            spans.add(task.clone());
            yield "came twice";
          }
          default -> {
            task.addAttributes(number("spark.nobody.declared", 1));
            yield "[spark.nobody.declared]";
          }
        };

    assertThatThrownBy(() -> assertThatTrace(trace(spans)).isTree(good()))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining(complaint);
  }

  @Test
  void anInheritedParentIsNotMissing() {
    Trace trace = Spans.trace(List.of(span(1, 0xabc, "application", "a", 1).build()));

    assertThatTrace(trace).inherits("0000000000000abc").isTree(application("a"));
    assertThatThrownBy(() -> assertThatTrace(trace).isSane()).hasMessageContaining("not received");
  }
}
