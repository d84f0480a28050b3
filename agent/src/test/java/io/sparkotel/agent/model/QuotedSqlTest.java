package io.sparkotel.agent.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.agent.config.AgentConfig.SqlText;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Statements in the messages of errors. */
class QuotedSqlTest {

  private static final String CONTEXT =
      """
      [CAST_INVALID_INPUT] The value cannot be cast.
      == SQL (line 1, position 8) ==
      select cast('abc' as int), 17
             ^^^^^^^^^^^^^^^^^^
      == DataFrame ==
      "cast" was called from 3""";

  @Test
  void whatIsQuotedIsMasked() {
    assertThat(QuotedSql.shown(CONTEXT, SqlText.MASKED))
        .isEqualTo(
            """
            [CAST_INVALID_INPUT] The value cannot be cast.
            == SQL (line 1, position 8) ==
            select cast(? as int), ?
                   ^^^^^^^^^^^^^^^^^^
            == DataFrame ==
            "cast" was called from 3""");
  }

  @Test
  void orLeftOut() {
    assertThat(QuotedSql.shown(CONTEXT, SqlText.NONE))
        .isEqualTo(
            """
            [CAST_INVALID_INPUT] The value cannot be cast.
            == SQL (line 1, position 8) ==
            ?
            == DataFrame ==
            "cast" was called from 3""");
  }

  @Test
  void orShown() {
    assertThat(QuotedSql.shown(CONTEXT, SqlText.FULL)).isSameAs(CONTEXT);
    assertThat(QuotedSql.shown("== SQL", SqlText.MASKED)).isEqualTo("== SQL");
    assertThat(QuotedSql.shown("nothing", SqlText.NONE)).isSameAs("nothing");
  }

  @Test
  @Timeout(20)
  void manyOfThemTakeNoLonger() {
    String many = "\n== SQL ==\n1".repeat(200_000);
    assertThat(QuotedSql.shown(many, SqlText.MASKED)).isEqualTo("\n== SQL ==\n?".repeat(200_000));
  }
}
