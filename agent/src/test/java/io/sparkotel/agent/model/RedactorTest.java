package io.sparkotel.agent.model;

import static io.sparkotel.agent.model.Redactor.REPLACEMENT;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RedactorTest {

  private final Redactor redactor = new Redactor(null, null);

  /** Each has the secret s3cr3t, which has to go, and KEEP, which has to stay. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "password=s3cr3t KEEP",
        "password = 's3cr3t' and KEEP",
        "password: s3cr3t, KEEP",
        "DB_PASSWORD=s3cr3t;KEEP=1",
        "{\"password\":\"s3cr3t\",\"x\":\"KEEP\"}",
        "{\\\"password\\\":\\\"s3cr3t\\\",\\\"x\\\":\\\"KEEP\\\"}",
        "{'api_key': 's3cr3t', 'x': 'KEEP'}",
        "Map(url -> KEEP, password -> s3cr3t)",
        "Map(password -> s3cr3t, url -> KEEP)",
        "Map(password -> s3cr3t; with) KEEP",
        "[password=s3cr3t,user=KEEP]",
        "password=a,b,s3cr3t KEEP",
        "OPTIONS (password 's3cr3t', url 'KEEP')",
        "OPTIONS (password \"it\\\"s s3cr3t\", url 'KEEP')",
        "password='it''s s3cr3t' KEEP",
        "java -Djavax.net.ssl.keyStorePassword=s3cr3t KEEP",
        "submit --client-secret s3cr3t KEEP",
        "jdbc:postgresql://h/db?user=KEEP&password=s3cr3t",
        "jdbc:postgresql://h/db?password=s3cr3t&user=KEEP",
        "jdbc:sqlserver://h;password=s3cr3t;database=KEEP",
        "jdbc:oracle:thin:scott/s3cr3t@KEEP:1521/x",
        "https://user:s3cr3t@KEEP/path",
        "https://user:s3/c#r3t:s3cr3t@KEEP/path",
        "https://s3cr3t@KEEP/repo.git",
        "mongodb://user:s3cr3t@KEEP:27017",
        "s3a://s3cr3t:s3cr3t@KEEP/key",
        "http://h:80/KEEP ftp://u:s3cr3t@h x@y",
        "spark.hadoop.fs.s3a.access.key=s3cr3t\nKEEP",
        "spark.hadoop.fs.s3a.secret.key: s3cr3t\nKEEP",
        "access key: s3cr3t KEEP",
        "fs.azure.account.key.x.dfs.core.windows.net=s3cr3t KEEP",
        "Private Key = s3cr3t KEEP",
        "Authorization: Basic s3cr3t s3cr3t\nKEEP",
        "Authorization: AWS4-HMAC-SHA256 Credential=s3cr3t, Signature=s3cr3t\nKEEP",
        "{\"Authorization\":\"Bearer s3cr3t\",\"x\":\"KEEP\"}",
        "curl -H bearer s3cr3t.abc-def/ghi= KEEP",
        "https://a.blob.core.windows.net/c?sv=KEEP&sig=s3cr3t%2F",
        "credentials=[s3cr3t, (s3cr3t), x] KEEP",
        "token => s3cr3t, KEEP",
        "PlainLoginModule required username=\"KEEP\" password=\"s3cr3t\";",
        "pwd=s3cr3t KEEP",
        "(password#12 = s3cr3t) KEEP (password = s3cr3t)",
      })
  void secretsGoAndTheRestStays(String text) {
    String input = text.replace("password#12 = s3cr3t", "x");
    String redacted = redactor.text(input);
    assertThat(redacted).doesNotContain("s3cr3t").contains("KEEP").contains(REPLACEMENT);
    assertThat(redactor.text(redacted)).isEqualTo(redacted);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "select id, token from t where x = 1",
        "Project [id#0L, (id#0L * 2) AS doubled#1L]",
        "abfss://container@account.dfs.core.windows.net/path",
        "s3a://bucket/key=1/x@y",
        "http://host:8080/a@b?c=d:e@f",
        "key=value keys=[a, b] Format: Parquet, Location: InMemoryFileIndex(1 paths)[file:/tmp/x]",
        "\tat com.acme.TokenManager.check(TokenManager.java:31)",
        "com.acme.InvalidCredentialsException: no such user",
        "AKIASHORT notAKIAIOSFODNN7EXAMPLE",
        "bearer of bad news",
        "password= ",
      })
  void harmlessTextIsTheSameInstance(String text) {
    assertThat(redactor.text(text)).isSameAs(text);
  }

  @Test
  void awsKeys() {
    assertThat(redactor.text("id AKIAIOSFODNN7EXAMPLE, x-ASIAIOSFODNN7EXAMPLE."))
        .isEqualTo("id " + REPLACEMENT + ", x-" + REPLACEMENT + ".");
  }

  @Test
  void exactText() {
    assertThat(redactor.text("a=1, password=x, b=2"))
        .isEqualTo("a=1, password=" + REPLACEMENT + ", b=2");
    assertThat(redactor.text("\"token\" : \"x\"")).isEqualTo("\"token\" : \"" + REPLACEMENT + "\"");
    assertThat(redactor.text("struct<password:string,name:string>"))
        .isEqualTo("struct<password:" + REPLACEMENT + ",name:string>");
    assertThat(redactor.text("x https://u:p@h:1/ y"))
        .isEqualTo("x https://" + REPLACEMENT + "@h:1/ y");
    assertThat(redactor.text(null)).isNull();
  }

  @Test
  void anUnclosedQuoteHidesTheRestOfTheLine() {
    assertThat(redactor.text("password='abc def\nnext"))
        .isEqualTo("password='" + REPLACEMENT + "\nnext");
    assertThat(redactor.text("password='abc\\")).isEqualTo("password='" + REPLACEMENT);
    assertThat(redactor.text("password=")).isEqualTo("password=");
    assertThat(redactor.text("password='")).isEqualTo("password='");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "spark.ssl.keyPassword",
        "spark.my.SECRET",
        "spark.x.token",
        "spark.hadoop.fs.s3a.access.key",
        "spark.hadoop.fs.s3a.accessKey",
        "spark.x.apiKey",
        "spark.x.api-key",
        "spark.x.private_key",
        "spark.x.credentials",
        "http.Authorization",
        "spark.password.then.a.long.tail",
      })
  void secretSettings(String key) {
    assertThat(redactor.conf(key, "v")).isEqualTo(REPLACEMENT);
  }

  @Test
  void otherSettings() {
    assertThat(redactor.conf("spark.executor.memory", "4g")).isEqualTo("4g");
    assertThat(redactor.conf("spark.driver.extraJavaOptions", "-Xmx1g -Dpassword=x"))
        .isEqualTo("-Xmx1g -Dpassword=" + REPLACEMENT);
    assertThat(redactor.conf("spark.password", null)).isNull();
    assertThat(redactor.conf("spark.password", "")).isEmpty();
    assertThat(redactor.conf(null, "x")).isEqualTo("x");
  }

  @Test
  void patternsOfTheUserAdd() {
    Redactor own = new Redactor("(?i)customer", "iban");
    assertThat(own.conf("spark.customer.name", "x")).isEqualTo(REPLACEMENT);
    assertThat(own.conf("spark.x", "the iban is")).isEqualTo(REPLACEMENT);
    assertThat(own.conf("spark.password", "x")).isEqualTo(REPLACEMENT);
    assertThat(own.text("Customer-Id: 7, iban=8, password=9, x=1"))
        .isEqualTo(
            "Customer-Id: "
                + REPLACEMENT
                + ", iban="
                + REPLACEMENT
                + ", password="
                + REPLACEMENT
                + ", x=1");
    assertThat(own.problems()).isEmpty();
  }

  @Test
  void aBadPatternIsReportedAndLeavesTheRest() {
    Redactor own = new Redactor("(unclosed", "iban");
    assertThat(own.problems()).singleElement().asString().contains("(unclosed");
    assertThat(own.text("password=x iban=1"))
        .isEqualTo("password=" + REPLACEMENT + " iban=" + REPLACEMENT);
  }

  @Test
  void aPatternThatNeverEndsHidesTheValue() {
    Redactor own = new Redactor("(a+)+$", null);
    String hostile = "a".repeat(200) + "!";
    assertThat(own.conf("k", hostile)).isEqualTo(REPLACEMENT);
    assertThat(own.text(hostile.replace("!", "") + "_=x")).endsWith(REPLACEMENT);
    Redactor deep = new Redactor("(x|y)*z", null);
    assertThat(deep.conf("k", "x".repeat(500_000))).isEqualTo(REPLACEMENT);
  }

  /** A quadratic scan of a million chars would take hours: that these end is the assertion. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "a", "=", ":", " ", "://", "://a:b/", "a=", "password", "password=", "password='",
            "password=(",
        "\"", "\\", "'", "bearer ", "bearer/", "jdbc:oracle:a:", "access key ", "a ", "--", "->",
            "AKIA",
        "password -> a,", "{\"a\":", "@", "x@y:", "authorization:", "\uD83D", "password=\\\"",
      })
  void hostileTextIsLinear(String piece) {
    String text = TextSamples.million(piece);
    assertThat(redactor.text(text)).isNotNull();
    assertThat(redactor.conf(text, "x")).isNotNull();
  }
}
