package io.sparkotel.agent.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SqlTextTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\u0001',
      value = {
        "select a1, b from t where c = 'x'|select a1, b from t where c = ?",
        "select * from `a-b`.`c d` where x=\"it's\"|select * from `a-b`.`c d` where x=?",
        "where x = 'it''s' and y = 'a\\'b' and z = 1|where x = ? and y = ? and z = ?",
        "where x in (1, -2.5, .5, 1e10, 1.5E-3, 10L, 3BD, 0x1F, 7.)|where x in (?, -?, ?, ?, ?, ?, ?, ?, ?)",
        "where d = date'2020-01-01' and t = TIMESTAMP '2020-01-01 00:00:00'|where d = date? and t = TIMESTAMP ?",
        "where h = X'1F' and r = r'a\\' and s = R\"\\d+\"|where h = ? and r = ? and s = ?",
        "select 1 -- pin 1234|select ?",
        "select /* a /* nested 'x' */ 42 */b|select b",
        "select/* a */b|select b",
        "select /*+ BROADCAST(t) */ a from t|select /*+ BROADCAST(t) */ a from t",
        "select :name, ?, ${var}, $1 from t|select :name, ?, ${var}, $1 from t",
        "create function f() as $$ return 'x' $$ where a|create function f() as ? where a",
        "create function f() as $py$ return $$ 1 $py$ where a|create function f() as ? where a",
        "select 1a, 2024_sales, x1 from t2|select 1a, 2024_sales, x1 from t2",
        "select a.b1, t.1 from x|select a.b1, t? from x",
        "interval 3 days|interval ? days",
        "where x = 'unclosed secret|where x = ?",
        "where x = 'ends with \\|where x = ?",
        "select a /* unclosed secret|select a",
        "select `unclosed, 'secret', 5|select `unclosed, ?, ?",
        "select `x where y = 'secret' and `z`|select `x where y = ? and `z`",
        "select ü, 'ü' from größe|select ü, ? from größe",
        "select $$unclosed secret|select ?",
      })
  void masks(String sql, String masked) {
    assertThat(SqlText.mask(sql)).isEqualTo(masked);
  }

  @Test
  void commentsEndAtTheLine() {
    assertThat(SqlText.mask("select a -- 'x\nfrom t -- y\n")).isEqualTo("select a \nfrom t");
    assertThat(SqlText.mask("")).isEmpty();
    assertThat(SqlText.mask(null)).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "select 1",
        "SELECT* from t",
        "  \n(select 1)",
        "-- report\n/* x /* y */ */ with a as (select 1) select * from a",
        "INSERT INTO t VALUES (1)",
        "show tables",
        "set",
        "set spark.x=1",
        "describe at",
        "from t select a",
        "cache table t",
        "show at\n:3",
      })
  void looksLikeSql(String text) {
    assertThat(SqlText.looksLikeSql(text)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "count at Report.java:3",
        "show at <console>:33",
        "describe at Report.java:3",
        "load at NativeMethodAccessorImpl.java:0",
        "query72",
        "selected rows",
        "set_up",
        "\nid = 8d268dc2\nbatch = 0",
        "-- only a comment",
        "/* unclosed select",
        "Listing leaf files and directories for 2004 paths:",
        "((((",
      })
  void doesNotLookLikeSql(String text) {
    assertThat(SqlText.looksLikeSql(text)).isFalse();
  }

  /** A quadratic scan of a million chars would take hours: that these end is the assertion. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "'", "\"", "`", "``'", "$", "$a", "$$", "--", "/*", "*/", "/*/", "(", "1", "1e", "0x", ".",
        "\\", "r'", "-- x\n", "\uD83D",
      })
  void hostileTextIsLinear(String piece) {
    String text = TextSamples.million(piece);
    assertThat(SqlText.mask(text)).isNotNull();
    assertThat(SqlText.looksLikeSql(text)).isFalse();
  }
}
