package io.sparkotel.agent.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.trace.SpanContext;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class TraceparentTest {

  private static final String IDS = "0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331";
  private static final String SAMPLED = "00-" + IDS + "-01";

  @Test
  void aRemoteSpan() {
    SpanContext context = Traceparent.parse(" " + SAMPLED + " ", null);
    assertThat(context.isValid()).isTrue();
    assertThat(context.isRemote()).isTrue();
    assertThat(context.isSampled()).isTrue();
    assertThat(context.getTraceId()).isEqualTo("0af7651916cd43dd8448eb211c80319c");
    assertThat(context.getSpanId()).isEqualTo("b7ad6b7169203331");
    assertThat(context.getTraceState().isEmpty()).isTrue();
    assertThat(Traceparent.parse("00-" + IDS + "-00", null).isSampled()).isFalse();
    assertThat(Traceparent.parse("cc-" + IDS + "-09-what", null).isSampled()).isTrue();
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(
      strings = {
        "",
        "00-" + IDS,
        "00-" + IDS + "-0",
        "00-" + IDS + "-zz",
        "00-" + IDS + "-01-",
        "00_" + IDS + "-01",
        "0x-" + IDS + "-01",
        "cc-" + IDS + "-01what",
        "ff-" + IDS + "-01",
        "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
        "00-00000000000000000000000000000000-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
        "00-0af7651916cd43dd8448eb211c80319c_b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331_01",
      })
  void noTraceparent(String text) {
    assertThat(Traceparent.parse(text, "a=b")).isEqualTo(SpanContext.getInvalid());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "a=1|a=1",
        "b=2 , a=1|b=2,a=1",
        "a=1,,b=2|a=1,b=2",
        "t@v=x y|t@v=x y",
        "a=x=y|''",
        "A=1,b=2|''",
        "a=1,a=2|''",
        "a|''",
        "=1|''",
        "' '|''"
      })
  void tracestate(String text, String kept) {
    assertThat(state(text)).isEqualTo(kept);
  }

  @Test
  void aLongTracestateIsCutBehindAMember() {
    String members =
        IntStream.range(0, 32).mapToObj(i -> "k" + i + "=" + "v".repeat(20)).collect(joined());
    String kept = state(members);
    assertThat(members).startsWith(kept + ",");
    assertThat(kept.length()).isBetween(Traceparent.MAX_STATE_CHARS - 26, 512);
    assertThat(state("a=" + "v".repeat(600))).isEmpty();
    assertThat(state(IntStream.range(0, 33).mapToObj(i -> "k" + i + "=v").collect(joined())))
        .isEmpty();
  }

  private static java.util.stream.Collector<CharSequence, ?, String> joined() {
    return Collectors.joining(",");
  }

  private static String state(String text) {
    StringBuilder out = new StringBuilder();
    Traceparent.parse(SAMPLED, text)
        .getTraceState()
        .forEach((k, v) -> out.append(out.isEmpty() ? "" : ",").append(k).append('=').append(v));
    return out.toString();
  }
}
