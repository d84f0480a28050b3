package io.sparkotel.agent.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.agent.telemetry.FindingCode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FindingsConfigTest {

  private static AgentConfig codes(String text) {
    return ConfigFixture.empty().spark("spark.otel.findings", text).load();
  }

  private static AgentConfig thresholds(String text) {
    return ConfigFixture.empty().property("otel.spark.findings.thresholds", text).load();
  }

  private static List<FindingCode> on(AgentConfig config) {
    return Arrays.stream(FindingCode.values()).filter(config.findings()::has).toList();
  }

  @Test
  void everythingIsLookedForByDefault() {
    AgentConfig config = ConfigFixture.empty().load();
    assertThat(on(config)).containsExactly(FindingCode.values());
    for (FindingThreshold threshold : FindingThreshold.values()) {
      assertThat(config.findings().of(threshold)).isEqualTo(threshold.standard());
    }
  }

  @Test
  void codesAreChosenOrLeftOut() {
    assertThat(on(codes("none"))).isEmpty();
    assertThat(on(codes("All"))).containsExactly(FindingCode.values());
    assertThat(on(codes("spill, Tiny_Tasks")))
        .containsExactly(FindingCode.SPILL, FindingCode.TINY_TASKS);
    List<FindingCode> rest = new ArrayList<>(List.of(FindingCode.values()));
    rest.removeAll(List.of(FindingCode.GC, FindingCode.SKEW));
    assertThat(on(codes("-gc,-skew"))).isEqualTo(rest);
    assertThat(on(codes("all,-gc,-skew"))).isEqualTo(rest);
    assertThat(on(codes("GC ,, skew,"))).containsExactly(FindingCode.SKEW, FindingCode.GC);
    assertThat(codes("all,-gc,-skew").problems()).isEmpty();
    assertThat(codes("GC ,, skew,gc").problems()).isEmpty();
  }

  @Test
  void anUnknownCodeIsOneLineWithTheLegalOnes() {
    AgentConfig config = codes("skew,tiny");
    assertThat(on(config)).containsExactly(FindingCode.SKEW);
    assertThat(config.problems())
        .singleElement()
        .asString()
        .startsWith("otel.spark.findings=skew,tiny (")
        .contains(
            "entry 2: unknown finding; legal values: all, none, skew, straggler, spill, gc,"
                + " tiny_tasks")
        .endsWith("; using the rest of it");
  }

  @Test
  void whereNoCodeIsKnownAllAreLookedFor() {
    for (String text : List.of("tiny", "-tiny", ",")) {
      AgentConfig config = codes(text);
      assertThat(on(config)).containsExactly(FindingCode.values());
      if (!text.equals(",")) {
        assertThat(config.problems()).singleElement().asString().endsWith("; using all");
      }
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "gc,skew,-gc | entry 3: gc is both named and left out | SKEW",
        "-gc,skew,gc | entry 3: gc is both named and left out | SKEW",
        "none,skew | entry 1: none beside others | SKEW",
        "skew,none | entry 2: none beside others | SKEW"
      })
  void whatContradictsIsSaidOnce(String text, String complaint, FindingCode found) {
    AgentConfig config = codes(text);
    assertThat(on(config)).containsExactly(found);
    assertThat(config.problems()).singleElement().asString().contains(complaint + "; legal");
    assertThat(on(codes("none,all"))).containsExactly(FindingCode.values());
    assertThat(codes("none,all").problems()).hasSize(1);
    assertThat(on(codes("none,-gc"))).isEmpty();
    assertThat(codes("none,-gc").problems()).isEmpty();
  }

  @Test
  void thresholdsHaveTheUnitsOfSettings() {
    FindingsConfig config =
        thresholds(
                "skew.ratio=2.5, skew.time=30s ,spill.size=10g,gc.share=.5,"
                    + "small_files_read.files=7,large_partition.size=4m")
            .findings();
    assertThat(config.of(FindingThreshold.SKEW_RATIO)).isEqualTo(2.5);
    assertThat(config.of(FindingThreshold.SKEW_TIME)).isEqualTo(30_000);
    assertThat(config.of(FindingThreshold.SPILL_SIZE)).isEqualTo(10L << 30);
    assertThat(config.of(FindingThreshold.GC_SHARE)).isEqualTo(0.5);
    assertThat(config.of(FindingThreshold.SMALL_FILES_READ_FILES)).isEqualTo(7);
    assertThat(config.of(FindingThreshold.LARGE_PARTITION_SIZE)).isEqualTo(4L << 20);
    assertThat(config.of(FindingThreshold.GC_TIME)).isEqualTo(30_000);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "skew.ratio=3,spill|entry 2: no '='",
        "skew.ratio=3,spill.bytes=1|entry 2: no such threshold, but spill.size",
        "skew.ratio=3,tiny.time=1|entry 2: no such threshold",
        "skew.ratio=9,Skew.Ratio=3|entry 2: skew.ratio again, the last one counts",
        "a,b,c,d,e,f,g,skew.ratio=3|entry 5: no '=', and 2 more",
        "spill.size=big,skew.ratio=3|entry 1: not a whole number (bytes, or a number with k, m or g,"
            + " at least 0)",
        "skew.ratio=3,skew.ratio=0|entry 2: out of range (a number from 1 to 1000000)",
        "skew.ratio=3,gc.time=5 weeks|entry 2: unknown unit of time (milliseconds, or a number with"
            + " ns, us, ms, s, m, h or d, at least 0)",
        "skew.ratio=3,gc.share=-1,x|entry 2: out of range (a number from 0 to 1), entry 3: no '='"
      })
  void whatCannotBeReadIsSaidAndTheRestUsed(String text, String complaint) {
    AgentConfig config = thresholds(text);
    assertThat(config.findings().of(FindingThreshold.SKEW_RATIO)).isEqualTo(3);
    assertThat(config.problems())
        .singleElement()
        .asString()
        .contains(complaint + "; legal values: key=value,key=value with the keys of findings.md")
        .contains("; using the rest of it");
  }

  @Test
  void whereNothingCanBeReadTheDefaultsAreUsed() {
    AgentConfig config = thresholds("skew=3");
    assertThat(config.findings().of(FindingThreshold.SKEW_RATIO)).isEqualTo(5);
    assertThat(config.problems()).singleElement().asString().endsWith("using those of findings.md");
  }

  @Test
  void excessTellsHowFarOver() {
    FindingsConfig config = thresholds("spill.size=100,tiny_tasks.time=50,gc.time=0").findings();
    assertThat(config.excess(FindingThreshold.SPILL_SIZE, 99)).isZero();
    assertThat(config.excess(FindingThreshold.SPILL_SIZE, 100)).isEqualTo(1);
    assertThat(config.excess(FindingThreshold.SPILL_SIZE, 250)).isEqualTo(2.5);
    assertThat(config.excess(FindingThreshold.TINY_TASKS_TIME, 51)).isZero();
    assertThat(config.excess(FindingThreshold.TINY_TASKS_TIME, 50)).isEqualTo(1);
    assertThat(config.excess(FindingThreshold.TINY_TASKS_TIME, 10)).isEqualTo(5);
    assertThat(config.excess(FindingThreshold.TINY_TASKS_TIME, 0)).isEqualTo(50);
    assertThat(config.excess(FindingThreshold.GC_TIME, 0)).isZero();
    assertThat(config.excess(FindingThreshold.GC_TIME, 1)).isPositive();
  }
}
