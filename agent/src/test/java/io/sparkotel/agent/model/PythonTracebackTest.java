package io.sparkotel.agent.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PythonTracebackTest {

  private static final String TRACEBACK =
      """
      Traceback (most recent call last):
        File "/opt/spark/python/lib/pyspark.zip/pyspark/worker.py", line 3386, in main
          process()
        File "/app/generate_events.py", line 45, in flaky_partition
          raise Exception(f"transient failure for partition {index}")
      Exception: transient failure for partition 3""";

  private static final String JVM_FRAMES =
      "\n\n\tat org.apache.spark.api.python.BasePythonRunner$ReaderIterator.handlePythonException"
          + "(PythonRunner.scala:645)\n\tat java.base/java.lang.Thread.run(Thread.java:1583)\n";

  @Test
  void aTaskFailureOfSpark41() {
    assertError(TRACEBACK + "\n", "Exception", "transient failure for partition 3", TRACEBACK);
    assertError(
        "org.apache.spark.api.python.PythonException: " + TRACEBACK + JVM_FRAMES,
        "Exception",
        "transient failure for partition 3",
        TRACEBACK);
  }

  @Test
  void aTaskFailureOfSpark43() {
    assertError(
        "[PYTHON_EXCEPTION] " + TRACEBACK + "\n SQLSTATE: 38000" + JVM_FRAMES,
        "Exception",
        "transient failure for partition 3",
        TRACEBACK);
  }

  @Test
  void aJobFailureRepeatsTheTracebackInItsCause() {
    String text =
        "org.apache.spark.SparkException: Job aborted due to stage failure: Lost task 0.3 in stage"
            + " 5.0 (TID 19): org.apache.spark.api.python.PythonException: "
            + TRACEBACK
            + JVM_FRAMES
            + "\nDriver stacktrace:\n\tat org.apache.spark.X.y(X.scala:1)\n"
            + "Caused by: org.apache.spark.api.python.PythonException: "
            + TRACEBACK
            + JVM_FRAMES
            + "\t... 1 more\n";
    assertError(text, "Exception", "transient failure for partition 3", TRACEBACK);
  }

  @Test
  void theLastOfAChainIsTheError() {
    String chain =
        """
        Traceback (most recent call last):
          File "a.py", line 1, in f
        KeyError: 'x'

        During handling of the above exception, another exception occurred:

        Traceback (most recent call last):
          File "a.py", line 3, in f
        __main__.MyError: no x""";
    assertError("PythonException: " + chain + JVM_FRAMES, "__main__.MyError", "no x", chain);
  }

  @Test
  void messagesOfSeveralLinesAndNone() {
    String lines =
        """
        Traceback (most recent call last):
          File "a.py", line 1, in f
        pyspark.errors.exceptions.base.PySparkValueError: [A_B] first:
          second
        third""";
    assertError(
        lines + JVM_FRAMES,
        "pyspark.errors.exceptions.base.PySparkValueError",
        "[A_B] first:\n  second\nthird",
        lines);
    String none =
        "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nAssertionError";
    assertError(none + "\n\nJVM stacktrace:\nx", "AssertionError", "", none);
    String local = "Traceback (most recent call last):\n  x\nm.f.<locals>.E: y";
    assertError(local, "m.f.<locals>.E", "y", local);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "java.lang.RuntimeException: bad exec\n\tat a.B.c(B.java:1)",
        "Traceback (most recent call last):",
        "Traceback (most recent call last):\n  File \"a.py\", line 1, in f",
        "Traceback (most recent call last):\n  File \"a.py\"\n\tat a.B.c(B.java:1)\nX: y",
        "Traceback (most recent call last):\n  x\nnot a class: y",
      })
  void noTraceback(String text) {
    assertThat(PythonTraceback.parse(text)).isNull();
  }

  @Test
  void hostileText() {
    assertThat(PythonTraceback.parse(null)).isNull();
    String header = "Traceback (most recent call last):\n";
    assertThat(PythonTraceback.parse(TextSamples.million(header))).isNull();
    assertThat(PythonTraceback.parse(TextSamples.million("\n") + header + " x\nE: y").type())
        .isEqualTo("E");
    assertThat(PythonTraceback.parse(header + TextSamples.million("  \n") + "E: y").message())
        .isEqualTo("y");
    assertThat(PythonTraceback.parse(header + " x\nE: " + TextSamples.million("\n")).message())
        .isEmpty();
  }

  private static void assertError(String text, String type, String message, String traceback) {
    PythonTraceback error = PythonTraceback.parse(text);
    assertThat(error).isNotNull();
    assertThat(error.type()).isEqualTo(type);
    assertThat(error.message()).isEqualTo(message);
    assertThat(error.traceback()).isEqualTo(traceback);
  }
}
