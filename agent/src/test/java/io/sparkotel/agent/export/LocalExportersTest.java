package io.sparkotel.agent.export;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.StatusData;
import io.sparkotel.agent.export.ExportFailure.Kind;
import io.sparkotel.agent.telemetry.Entity;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalExportersTest {

  @TempDir Path directory;

  @Test
  void fileHoldsOneRequestALineInOtlpJson() throws Exception {
    Path file = directory.resolve("trace.json");
    Files.writeString(file, "{}\n");
    FileExporter exporter = new FileExporter(file.toFile());
    assertThat(exporter.export(List.of(Spans.stage(1), Spans.task(1))).isSuccess()).isTrue();
    assertThat(exporter.export(List.of(Spans.application())).isSuccess()).isTrue();

    List<String> lines = Files.readAllLines(file);
    assertThat(lines).hasSize(3).startsWith("{}");
    JsonNode spans =
        new ObjectMapper().readTree(lines.get(1)).at("/resourceSpans/0/scopeSpans/0/spans");
    assertThat(spans).hasSize(2);
    JsonNode stage = spans.get(0);
    var context = Spans.IDS.context(Entity.STAGE, 1, 0);
    assertThat(stage.get("traceId").textValue()).isEqualTo(context.getTraceId());
    assertThat(stage.get("spanId").textValue()).isEqualTo(context.getSpanId());
    assertThat(stage.get("parentSpanId").textValue())
        .isEqualTo(Spans.IDS.context(Entity.APPLICATION, 0, 0).getSpanId());
    assertThat(stage.get("kind").intValue()).isEqualTo(1);
    assertThat(stage.get("startTimeUnixNano").textValue()).isEqualTo("1001000000");
    assertThat(stage.at("/attributes/0/value/stringValue").textValue()).isEqualTo("stage");
  }

  @Test
  void fileThatCannotBeWrittenRefuses() {
    CompletableResultCode result =
        new FileExporter(directory.resolve("missing/trace.json").toFile())
            .export(List.of(Spans.stage(1)));

    assertThat(ExportFailure.of(result.getFailureThrowable()))
        .matches(failure -> failure.kind() == Kind.REFUSED)
        .hasMessageContaining("missing");
  }

  @Test
  void consolePrintsTheTreeWhenTheApplicationSpanCame() {
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    ConsoleExporter exporter =
        new ConsoleExporter(
            new PrintStream(printed, true, StandardCharsets.UTF_8), new TraceTree(true, false));
    exporter.export(
        List.of(
            Spans.span(Entity.STARTED, "marker", 0, 0, StatusData.unset()),
            Spans.span(Entity.JOB, "job 0", 0, 0, StatusData.ok())));
    assertThat(printed.size()).isZero();

    exporter.export(List.of(Spans.application()));
    assertThat(printed.toString(StandardCharsets.UTF_8).lines())
        .satisfiesExactly(
            line -> assertThat(line).startsWith("application "),
            line -> assertThat(line).contains("job 0 "));

    printed.reset();
    exporter.shutdown();
    assertThat(printed.size()).isZero();
  }

  @Test
  void consoleIsColouredOnlyWhereTheEnvironmentAsksForIt() {
    assertThat(ConsoleExporter.wantsColour(Map.of())).isFalse();
    assertThat(ConsoleExporter.wantsColour(Map.of("CLICOLOR_FORCE", "1"))).isTrue();
    assertThat(ConsoleExporter.wantsColour(Map.of("CLICOLOR_FORCE", "0"))).isFalse();
    assertThat(ConsoleExporter.wantsColour(Map.of("CLICOLOR_FORCE", "1", "NO_COLOR", "1")))
        .isFalse();
    assertThat(ConsoleExporter.wantsColour(Map.of("CLICOLOR_FORCE", "1", "NO_COLOR", ""))).isTrue();
  }
}
