package io.sparkotel.agent.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.agent.event.JobProperties;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** How Spark marks what runs for a batch of DStreams. */
class DStreamKeyTest {

  private static final String DESCRIPTION =
      "Streaming job from <a href=\"/streaming/batch/?id=1700000000500\">[output operation 12, batch"
          + " time 2023/11/14 22:13:20.500]</a>";

  @Test
  void description() {
    DStreamKey key = DStreamKey.of(DESCRIPTION);
    assertThat(key.time).isEqualTo(1_700_000_000_500L);
    assertThat(key.output).isEqualTo(12);
  }

  @Test
  void nobodysDescription() {
    assertThat(DStreamKey.of((String) null)).isNull();
    assertThat(DStreamKey.of("")).isNull();
    assertThat(DStreamKey.of("see " + DESCRIPTION)).isNull();
    assertThat(DStreamKey.of("Streaming job running receiver 0")).isNull();
    assertThat(DStreamKey.of(DESCRIPTION.replace("12", "x"))).isNull();
    assertThat(DStreamKey.of(DESCRIPTION.replace("1700000000500", "0"))).isNull();
    assertThat(DStreamKey.of(DESCRIPTION.replace("1700000000500", "999999999999999999"))).isNull();
    assertThat(DStreamKey.of(DESCRIPTION.replace("1700000000500", "9".repeat(30)))).isNull();
  }

  @Test
  void properties() {
    DStreamKey key =
        DStreamKey.of(
            new JobProperties(
                Map.of(
                    "spark.streaming.internal.batchTime", "1700000000500",
                    "spark.streaming.internal.outputOpId", "3",
                    "spark.job.description", "mine")));
    assertThat(key.time).isEqualTo(1_700_000_000_500L);
    assertThat(key.output).isEqualTo(3);
    assertThat(DStreamKey.of(new JobProperties(Map.of("spark.job.description", DESCRIPTION))).time)
        .isEqualTo(1_700_000_000_500L);
    assertThat(DStreamKey.of(new JobProperties(Map.of("spark.streaming.internal.batchTime", "x"))))
        .isNull();
    assertThat(DStreamKey.of(new JobProperties(Map.of()))).isNull();
  }
}
