package io.sparkotel.agent.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StackTracesTest {

  private static final int MAX = 8192;

  private static final String SPARK_FRAME =
      "\tat org.apache.spark.rdd.MapPartitionsRDD.compute(MapPartitionsRDD.scala:52)\n";

  @Test
  void whatFitsStaysAsItIs() {
    String trace = "java.lang.RuntimeException: bad exec\n" + SPARK_FRAME;
    assertThat(StackTraces.shorten(trace, MAX).text()).isSameAs(trace);
    assertThat(StackTraces.shorten(trace, MAX).isCut()).isFalse();
    assertThat(StackTraces.shorten(null, MAX).text()).isNull();
  }

  @Test
  void framesOfSparkAreFoldedFirst() {
    String trace =
        "java.lang.RuntimeException: outer\n"
            + "\tat java.base/java.util.Objects.requireNonNull(Objects.java:1)\n"
            + SPARK_FRAME.repeat(60)
            + "\tat com.acme.Report.load(Report.java:31)\n"
            + "\tat scala.collection.Iterator$$anon$11.next(Iterator.scala:409)\n".repeat(2)
            + SPARK_FRAME.repeat(60)
            + "\t... 3 more\n"
            + "Caused by: java.io.IOException: inner\n"
            + SPARK_FRAME.repeat(60)
            + "\tat com.acme.Report$.$anonfun$main$1(Report.scala:7)\n";
    Truncation shorter = StackTraces.shorten(trace, MAX);
    assertThat(shorter.isCut()).isTrue();
    assertThat(shorter.text())
        .isEqualTo(
            """
            java.lang.RuntimeException: outer
            \tat java.base/java.util.Objects.requireNonNull(Objects.java:1)
            \t... 60 frames of org.apache.spark
            \tat com.acme.Report.load(Report.java:31)
            \t... 62 frames of org.apache.spark
            Caused by: java.io.IOException: inner
            \tat org.apache.spark.rdd.MapPartitionsRDD.compute(MapPartitionsRDD.scala:52)
            \t... 59 frames of org.apache.spark
            \tat com.acme.Report$.$anonfun$main$1(Report.scala:7)""");
  }

  @Test
  void otherPartsOfAJobFailureStay() {
    String trace =
        "Job aborted\n"
            + SPARK_FRAME.repeat(90)
            + "\nDriver stacktrace:\n"
            + SPARK_FRAME.repeat(90);
    assertThat(StackTraces.shorten(trace, MAX).text()).contains("\nDriver stacktrace:\n");
  }

  @Test
  void everyCauseStaysWhenUserFramesDoNotFit() {
    StringBuilder trace = new StringBuilder("a.B: " + "m".repeat(5000) + "\n");
    for (int cause = 0; cause < 5; cause++) {
      trace
          .append("Caused by: c.D")
          .append(cause)
          .append(": ")
          .append("é".repeat(3000))
          .append('\n');
      for (int i = 0; i < 200; i++) {
        trace.append("\tat com.acme.Deep.call").append(i).append("(Deep.java:1)\n");
      }
    }
    Truncation shorter = StackTraces.shorten(trace.toString(), MAX);
    assertThat(TextSamples.bytes(shorter.text())).isLessThanOrEqualTo(MAX);
    assertThat(shorter.text())
        .contains(
            "a.B: ", "c.D0", "c.D1", "c.D2", "c.D3", "c.D4", "call0(", "frames of the application");
  }

  @Test
  void ofAHugeChainTheEndsStay() {
    StringBuilder trace = new StringBuilder("a.B: first\n");
    for (int cause = 1; cause <= 20_000; cause++) {
      trace.append("Caused by: c.D: number ").append(cause).append('\n').append(SPARK_FRAME);
    }
    Truncation shorter = StackTraces.shorten(trace.toString(), MAX);
    assertThat(shorter.text())
        .startsWith("a.B: first\n")
        .contains("number 3\n", "... 19985 causes\n", "number 20000\n");
  }

  @Test
  void hostileTraces() {
    for (String piece :
        new String[] {
          "x",
          "\n",
          "\tat ",
          "\tat \n",
          "Caused by: ",
          "\nCaused by: ",
          "\t...\n",
          TextSamples.EMOJI,
          TextSamples.LONE_HIGH,
          "\tat a.b(",
          "\tat a.B.c(B.java:1)\n",
          "\r\n",
        }) {
      String text = TextSamples.million(piece);
      for (int max : new int[] {0, 1, 100, MAX}) {
        Truncation shorter = StackTraces.shorten(text, max);
        assertThat(TextSamples.bytes(shorter.text())).isLessThanOrEqualTo(max);
        assertThat(TextSamples.isValidUtf8(shorter.text())).isTrue();
        assertThat(shorter.isCut()).isTrue();
      }
      StackTraces.rootCauseLine(text);
    }
  }

  @Test
  void rootCause() {
    assertThat(
            StackTraces.rootCauseLine(
                "a.B: x\n\tat q\nCaused by: c.D: y\n\tat q\nCaused by: java.nio.file.NoSuchFileException: /z\n\tat q"))
        .isEqualTo("java.nio.file.NoSuchFileException: /z");
    assertThat(StackTraces.rootCauseLine("\n a.B: x \n\tat q")).isEqualTo("a.B: x");
    assertThat(StackTraces.rootCauseLine("Caused by: a.B")).isEqualTo("a.B");
    assertThat(StackTraces.rootCauseLine("message about Caused by: nothing"))
        .isEqualTo("message about Caused by: nothing");
    assertThat(StackTraces.rootCauseLine(null)).isNull();
    assertThat(StackTraces.rootCauseLine(" \n ")).isNull();
  }
}
