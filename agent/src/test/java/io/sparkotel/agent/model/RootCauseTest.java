package io.sparkotel.agent.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.agent.event.EndReason;
import org.junit.jupiter.api.Test;

class RootCauseTest {

  private static final String ABORTED =
      "Job aborted due to stage failure: Task 0 in stage 1.0 failed 1 times, most recent failure:"
          + " Lost task 0.0 in stage 1.0 (TID 3) (10.0.0.7 executor 2): ";

  private static final String FRAMES =
      """
      \tat com.acme.Report.lambda$main$0(Report.java:31)
      \tat org.apache.spark.api.java.JavaPairRDD$.$anonfun$toScalaFunction$1(X.scala:1070)
      """;

  @Test
  void isTheFirstLineOfTheDeepestCauseWithTheUsersOwnFrame() {
    assertThat(
            RootCause.of(
                "org.apache.spark.SparkException: outer\n"
                    + "\tat org.apache.spark.X.y(X.scala:1)\n"
                    + "Caused by: java.lang.IllegalStateException: middle\n"
                    + "\tat com.acme.Middle.run(Middle.java:7)\n"
                    + "Caused by: java.lang.ArithmeticException: / by zero\n"
                    + "\tat java.base/java.lang.Math.floorDiv(Math.java:1)\n"
                    + FRAMES
                    + "\t... 12 more"))
        .hasToString(
            "java.lang.ArithmeticException: / by zero at"
                + " com.acme.Report.lambda$main$0(Report.java:31)");
  }

  @Test
  void takesTheFrameOfTheNextCauseWhereTheDeepestHasNone() {
    String deepest = "Caused by: java.io.IOException: disk\n\tat java.io.File.x(File.java:1)";
    assertThat(
            RootCause.of(
                "a.Outer: o\n\tat com.acme.Outer.run(Outer.java:3)\n"
                    + "Caused by: a.Middle: m\n"
                    + "\tat org.apache.spark.X.y(X.scala:1)\n"
                    + "\tat com.acme.Middle.run(Middle.java:7)\n"
                    + deepest))
        .hasToString("java.io.IOException: disk at com.acme.Middle.run(Middle.java:7)");
    assertThat(RootCause.of("a.Outer: o\n\tat scala.Option.get(Option.scala:1)\n" + deepest))
        .hasToString("java.io.IOException: disk");
  }

  @Test
  void leavesOutWhatTheSchedulerSaysBeforeTheError() {
    String error = "java.lang.IllegalStateException: bad (row): 7\n" + FRAMES;
    String cause =
        "java.lang.IllegalStateException: bad (row): 7 at"
            + " com.acme.Report.lambda$main$0(Report.java:31)";
    assertThat(RootCause.of(ABORTED + error + "\nDriver stacktrace:")).hasToString(cause);
    assertThat(RootCause.of("org.apache.spark.SparkException: " + ABORTED + error))
        .hasToString(cause);
    // Spark 3.0.
    String before31 = ABORTED.replace("(TID 3) (10.0.0.7 executor 2)", "(TID 3, h, executor 2)");
    assertThat(RootCause.of(before31 + error)).hasToString(cause);
    assertThat(RootCause.of(ABORTED)).hasToString(ABORTED.trim());
    assertThat(
            RootCause.of(
                    "Job aborted due to stage failure: Total size of serialized results of 2 tasks (2.0"
                        + " MiB) is bigger than spark.driver.maxResultSize (1024.0 KiB)")
                .toString())
        .startsWith("Job aborted due to stage failure: Total size");
  }

  @Test
  void ofPythonIsWhatPythonRaisedFirst() {
    String traceback =
        """
        org.apache.spark.api.python.PythonException: Traceback (most recent call last):
          File "/opt/spark/python/lib/pyspark.zip/pyspark/worker.py", line 1, in main
            process()
          File "/home/ann/report.py", line 12, in parse
            return table[row]
                   ~~~~~^^^^^
          File "/usr/lib/python3.11/site-packages/pandas/core/series.py", line 7, in get
            raise KeyError(row)
        KeyError: 'a'

        During handling of the above exception, another exception occurred:

        Traceback (most recent call last):
          File "/home/ann/report.py", line 14, in <lambda>
            raise ValueError("no row")
        ValueError: no row

        \tat org.apache.spark.api.python.BasePythonRunner$ReaderIterator.x(X.scala:1)
        """;
    assertThat(RootCause.of(traceback)).hasToString("KeyError: 'a' at parse(report.py:12)");
    String second = traceback.substring(traceback.lastIndexOf("Traceback"));
    assertThat(RootCause.of(second)).hasToString("ValueError: no row at <lambda>(report.py:14)");
    assertThat(
            RootCause.of(
                "Traceback (most recent call last):\n  File \"/x/pyspark/a.py\", line 1, in f\n"
                    + "    g()\nKeyboardInterrupt"))
        .hasToString("KeyboardInterrupt");
  }

  @Test
  void ofATaskThatDidNotThrowSaysWhatBecameOfIt() {
    assertThat(RootCause.of(reason(EndReason.Kind.TaskResultLost, null)))
        .hasToString("TaskResultLost");
    assertThat(
            RootCause.of(
                reason(EndReason.Kind.ExecutorLostFailure, "\nThe executor exited.\nAll else")))
        .hasToString("ExecutorLostFailure: The executor exited.");
    assertThat(
            RootCause.of(
                reason(
                    EndReason.Kind.FetchFailed,
                    "org.apache.spark.shuffle.FetchFailedException: x\n\tat a.B.c(B.java:1)\n"
                        + "Caused by: java.io.IOException: closed\n\tat io.netty.A.b(A.java:1)")))
        .hasToString("FetchFailed: java.io.IOException: closed");
    assertThat(
            RootCause.of(new EndReason(EndReason.Kind.ExceptionFailure, "com.acme.E", null, null)))
        .hasToString("com.acme.E");
  }

  private static EndReason reason(EndReason.Kind kind, String message) {
    return ModelFixture.reason(kind, message);
  }

  @Test
  void isAbsentWhereNothingIsSaid() {
    assertThat(RootCause.of((String) null)).isNull();
    assertThat(RootCause.of(" \n")).isNull();
  }
}
