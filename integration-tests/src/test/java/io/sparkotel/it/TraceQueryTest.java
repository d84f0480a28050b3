package io.sparkotel.it;

import static io.sparkotel.it.Spans.number;
import static io.sparkotel.it.Spans.span;
import static io.sparkotel.it.Spans.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.proto.trace.v1.Status;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TraceQueryTest {

  private static final SpanNode STAGE =
      Spans.trace(
              List.of(
                  span(1, 0, "stage", "stage count at A.java:1", 1000)
                      .addAttributes(number("spark.tasks.total", 20))
                      .addAttributes(number("spark.tasks.failed", 3))
                      .addAttributes(text("spark.stage.name", "count at A"))
                      .setStatus(Status.newBuilder().setCode(Status.StatusCode.STATUS_CODE_ERROR))
                      .addEvents(
                          Span.Event.newBuilder()
                              .setName("exception")
                              .addAttributes(text("exception.type", "java.lang.Error")))
                      .build()))
          .spans()
          .get(0);

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{ span.spark.tasks.total > 19 }",
        "{ span.spark.tasks.total = 20 && span.spark.entity = \"stage\" }",
        "{ status = error && span.spark.stage.name =~ \"count.*\" }",
        "{ event.exception.type = \"java.lang.Error\" }",
        "{ span.spark.tasks.total > span.spark.tasks.failed }",
        "{ duration > 9ms && duration <= 10ms }",
        "{ span.spark.tasks.total > 19 } | select(span.spark.stage.name, span.spark.entity)",
        "{ span.spark.tasks.total > 19 } | max_over_time(span.spark.tasks.total) by (span.spark.entity)",
      })
  void selects(String selector) {
    assertThat(TraceQuery.ofTraceQl(selector).selects(STAGE)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{ span.spark.tasks.total > 20 }",
        "{ span.spark.tasks.total = 20 && span.spark.entity = \"job\" }",
        "{ span.spark.stage.name =~ \"ount\" }",
        "{ event.exception.type = \"java.lang.Exception\" }",
        "{ span.spark.stage.id != 3 }",
        "{ span.spark.tasks.failed > span.spark.tasks.total }",
        "{ span.spark.tasks.total > span.spark.tasks.killed }",
        "{ span.spark.stage.id < span.spark.tasks.total }",
        "{ duration > 10ms }",
      })
  void doesNotSelect(String selector) {
    assertThat(TraceQuery.ofTraceQl(selector).selects(STAGE)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{ tasks > 1 }",
        "{ span.a = 1 || span.b = 1 }",
        "span.a = 1",
        "{ duration > 1 }",
        "{ span.a = 1 } | rate()",
        "{ span.a = 1 } { span.b = 1 }"
      })
  void whatItDoesNotKnowFails(String selector) {
    assertThatThrownBy(() -> TraceQuery.ofTraceQl(selector)).isInstanceOf(AssertionError.class);
  }

  @Test
  void theAttributesThatItNames() {
    String query =
        "{ span.a > span.b && duration > 1s && resource.c = 1 } | max_over_time(span.d) by (span.e)";
    assertThat(TraceQuery.ofTraceQl(query).keys()).containsExactly("a", "b", "c", "d", "e");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"spark.entity=stage error=true", "spark.stage.name=\"count at A\"", "error=true"})
  void tagsSelect(String tags) {
    assertThat(TraceQuery.ofJaegerTags(tags).selects(STAGE)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"spark.entity=job error=true", "spark.stage.name=count"})
  void tagsDoNotSelect(String tags) {
    assertThat(TraceQuery.ofJaegerTags(tags).selects(STAGE)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"spark.entity", "a=1 and b=2", "spark.stage.skew > 5", ""})
  void whatAreNoTagsFails(String tags) {
    assertThatThrownBy(() -> TraceQuery.ofJaegerTags(tags)).isInstanceOf(AssertionError.class);
  }
}
