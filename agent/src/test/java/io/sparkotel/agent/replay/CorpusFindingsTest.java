package io.sparkotel.agent.replay;

import static io.sparkotel.agent.replay.Replayed.value;
import static io.sparkotel.agent.telemetry.FindingCode.IDLE_CORES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sparkotel.agent.telemetry.Entity;
import io.sparkotel.agent.telemetry.FindingCode;
import io.sparkotel.agent.telemetry.FinishedSpan;
import io.sparkotel.agent.telemetry.Names;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is found in the corpus of real logs, as the page tells it. */
class CorpusFindingsTest {

  @Test
  void theTableInDocsIsWhatIsFound() throws IOException {
    assumeTrue(Logs.corpus().isDirectory(), Logs::noCorpus);
    StringBuilder table =
        new StringBuilder("\n| Log | Stages | Found, with the number of spans | The worst |\n");
    table.append("|---|---|---|---|\n");
    List<String> lines = Files.readAllLines(new File(Logs.corpus(), "manifest.tsv").toPath());
    int column = List.of(lines.get(0).split("\t", -1)).indexOf("file");
    for (String line : lines.subList(1, lines.size())) {
      String file = line.split("\t", -1)[column];
      Replayed log = Replayed.of(new File(Logs.corpus(), file));
      table.append("| ").append(name(file)).append(" | ");
      table.append(log.of(Entity.STAGE).size()).append(" | ");
      table.append(found(log)).append(" | ").append(worst(log)).append(" |\n");
    }
    DocTable.of("findings.md", "corpus").assertIs(table.append('\n').toString());
  }

  private static String name(String file) {
    return file.startsWith("eventlog_v2_") ? "a rolling log" : file.replaceFirst("\\.zstd$", "");
  }

  /** Codes with the number of spans of the lowest kind that has them. */
  private static String found(Replayed log) {
    StringBuilder out = new StringBuilder();
    for (FindingCode code : FindingCode.values()) {
      boolean found = value(log.application(), code.attribute()) != null;
      Entity entity = code.lowest() == Entity.TASK ? Entity.STAGE : code.lowest();
      long spans =
          log.of(entity).stream().filter(span -> value(span, code.attribute()) != null).count();
      // Cores are looked at in a stage and in the whole.
      assertThat(found).as(code.label()).isEqualTo(spans > 0 || (found && code == IDLE_CORES));
      if (found) {
        out.append(out.length() == 0 ? "" : ", ").append('`').append(code.label());
        out.append("` ").append(Math.max(1, spans));
      }
    }
    return out.length() == 0 ? "nothing" : out.toString();
  }

  private static String worst(Replayed log) {
    FinishedSpan application = log.application();
    List<?> sentences = (List<?>) value(application, Names.FINDINGS);
    return sentences == null ? "" : sentences.get(0).toString();
  }
}
