package io.sparkotel.agent.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.agent.replay.DocTable;
import io.sparkotel.agent.telemetry.Entity;
import io.sparkotel.agent.telemetry.FindingCode;
import org.junit.jupiter.api.Test;

/** The page tells every finding, with its thresholds, as the registry has them. */
class FindingsDocTest {

  @Test
  void theFindingsInDocsAreThoseOfTheRegistry() {
    StringBuilder table = new StringBuilder();
    Entity last = null;
    for (Entity entity : new Entity[] {Entity.TASK, Entity.STAGE, Entity.SQL, Entity.APPLICATION}) {
      for (FindingCode code : FindingCode.values()) {
        if (code.lowest() != entity) {
          continue;
        }
        if (entity != last) {
          table.append(heading(entity));
          last = entity;
        }
        table.append("| `").append(code.label()).append("` | ").append(code.doc()).append(" | ");
        table.append(thresholds(code)).append(" | ").append(code.advice()).append(" |\n");
      }
    }
    DocTable.of("findings.md", "findings").assertIs(table.append('\n').toString());
  }

  private static String heading(Entity entity) {
    String title =
        switch (entity) {
          case TASK -> "On stages, and flagged on tasks";
          case STAGE -> "On stages";
          case SQL -> "On SQL executions";
          default -> "On the application";
        };
    return "\n### "
        + title
        + "\n\n| Code | What it means | Found from | What to do |\n|---|---|---|---|\n";
  }

  private static String thresholds(FindingCode code) {
    StringBuilder out = new StringBuilder();
    for (FindingThreshold threshold : FindingThreshold.values()) {
      if (threshold.code() == code) {
        out.append(out.length() == 0 ? "" : "<br>").append('`').append(threshold.key());
        out.append('=').append(value(threshold)).append("` ").append(threshold.doc());
        out.append(threshold.isMost() ? ", at most" : "");
      }
    }
    return out.toString();
  }

  /** As one writes it in the setting; the setting reads it as the default. */
  private static String value(FindingThreshold threshold) {
    String text = text(threshold.type().legal(), threshold.standard());
    Number read = threshold.type().parse(text, new StringBuilder());
    assertThat(read.doubleValue()).as(threshold.key()).isEqualTo(threshold.standard());
    return text;
  }

  private static String text(String legal, double value) {
    long whole = (long) value;
    if (legal.startsWith("bytes")) {
      return whole % (1L << 30) == 0 ? (whole >> 30) + "g" : (whole >> 20) + "m";
    }
    if (legal.startsWith("milliseconds") && whole % 1000 == 0) {
      return whole % 60_000 == 0 ? whole / 60_000 + "m" : whole / 1000 + "s";
    }
    String unit = legal.startsWith("milliseconds") ? "ms" : "";
    return (whole == value ? Long.toString(whole) : Double.toString(value)) + unit;
  }

  @Test
  void everyFindingHasAThreshold() {
    for (FindingCode code : FindingCode.values()) {
      assertThat(FindingThreshold.values()).anyMatch(threshold -> threshold.code() == code);
      assertThat(code.doc()).doesNotEndWith(".");
      assertThat(code.advice()).endsWith(".");
    }
  }
}
