package io.sparkotel.agent.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ErrorClassTest {

  private static final String DIVIDED =
      "[DIVIDE_BY_ZERO] Division by zero. Use `try_divide` to tolerate divisor being 0 and return"
          + " NULL instead. If necessary set \"spark.sql.ansi.enabled\" to \"false\" to bypass this"
          + " error.";

  private static void assertFound(String type, String text, String name, String sqlState) {
    ErrorClass found = ErrorClass.of(type, text);
    assertThat(found).isNotNull();
    assertThat(found.name()).isEqualTo(name);
    assertThat(found.sqlState()).isEqualTo(sqlState);
  }

  @Test
  void standsInTheMessage() {
    assertFound(null, DIVIDED, "DIVIDE_BY_ZERO", null);
    assertFound(
        "org.apache.spark.SparkArithmeticException",
        DIVIDED + " SQLSTATE: 22012\n== SQL (line 1, position 8) ==\nSELECT 1 / 0\n       ^^^^^\n",
        "DIVIDE_BY_ZERO",
        "22012");
    assertFound(
        null,
        "[UNRESOLVED_COLUMN.WITH_SUGGESTION] A column or function parameter with name `nope` cannot"
            + " be resolved. Did you mean one of the following? [`id`]. SQLSTATE: 42703; line 1 pos"
            + " 7;\n'Project ['nope]\n",
        "UNRESOLVED_COLUMN.WITH_SUGGESTION",
        "42703");
    assertFound(
        null,
        "\n[PARSE_SYNTAX_ERROR] Syntax error at or near 'FORM'. SQLSTATE: 42601 (line 1, pos 9)\n"
            .trim(),
        "PARSE_SYNTAX_ERROR",
        "42601");
  }

  @Test
  void standsBehindTheExceptionsClass() {
    String task = "org.apache.spark.SparkArithmeticException: " + DIVIDED;
    assertFound("", task + "\n\tat org.apache.spark.sql.X.y(X.scala:1)", "DIVIDE_BY_ZERO", null);
    assertFound(
        null,
        "Job aborted due to stage failure: Task 0 in stage 1.0 failed 1 times, most recent failure:"
            + " Lost task 0.0 in stage 1.0 (TID 1) (host executor driver): "
            + task
            + " SQLSTATE: 22012\n\tat org.apache.spark.sql.X.y(X.scala:1)\n\nDriver stacktrace:",
        "DIVIDE_BY_ZERO",
        "22012");
    assertFound(
        null,
        "Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\n"
            + "pyspark.errors.exceptions.base.PySparkValueError: [CANNOT_BE_NONE] Argument `x` cannot"
            + " be None.",
        "CANNOT_BE_NONE",
        null);
  }

  @Test
  void isThatOfTheInnermostCauseWhichHasOne() {
    assertFound(
        "",
        "org.apache.spark.SparkException: [TASK_WRITE_FAILED] Task failed while writing rows to"
            + " file:/x. SQLSTATE: 58030\n\tat a.B.c(B.java:1)\n"
            + "Caused by: org.apache.spark.SparkNumberFormatException: [CAST_INVALID_INPUT] The value"
            + " 'x' cannot be cast.\n\tat a.B.c(B.java:2)\n"
            + "Caused by: java.lang.NumberFormatException: [NOT_SPARKS] x\n\tat a.B.c(B.java:3)",
        "CAST_INVALID_INPUT",
        null);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "java.lang.IllegalStateException: [MY_TAG] bad row",
        "com.acme.SparkFailure: [MY_TAG] bad row",
        "org.apache.spark.SparkException: [my_tag] bad row",
        "org.apache.spark.SparkException: [MY_TAG]bad row",
        "org.apache.spark.SparkException: bad [MY_TAG] row",
        "org.apache.spark.SparkException: bad: [MY_TAG] row",
        "[a, b] is no column",
        "[1] one",
        "[",
        "",
      })
  void isNoWordInBracketsOfAnybodyElses(String text) {
    assertThat(ErrorClass.of(null, text)).isNull();
  }

  @Test
  void isNoneWhereTheUsersOwnExceptionSaysSo() {
    assertThat(ErrorClass.of("com.acme.Failed", "[MY_TAG] bad row")).isNull();
    assertThat(ErrorClass.of("", "[MY_TAG] bad row")).isNull();
    assertThat(ErrorClass.of("org.apache.spark.SparkException", null)).isNull();
  }
}
