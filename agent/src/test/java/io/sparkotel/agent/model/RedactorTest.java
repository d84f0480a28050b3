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
        "(password#12 = my s3cr3t, (s3cr3t)) KEEP",
        "(api_key#3 IN (s3cr3t,s3cr3t)) KEEP",
        "password#1 LIKE s3cr3t s3cr3t AND KEEP",
        "(s3cr3t = password#12) KEEP",
        "[KEEP#1, s3cr3t AS password#2]",
        "KEEP: [EqualTo(password,s3cr3t), In(token, [s3cr3t,x])]",
        "'s3cr3t' AS password, KEEP",
        "password IN ('s3cr3t', 's3cr3t') KEEP",
        "password=s3)c}r3t's3cr3t KEEP",
        "password=x,s3cr3t;s3cr3t&s3cr3t KEEP",
        "password: |\n  s3cr3t\n\n  s3cr3t\nKEEP: 1",
        "password=\"\"\"s3cr3t\ns3cr3t\"\"\" KEEP",
        "password='x\ns3cr3t' KEEP",
        "mysql -ps3cr3t KEEP",
        "mysql -p 's3cr3t x' KEEP",
        "beeline -n KEEP -p s3cr3t | sort -p KEEP",
        "docker login -u KEEP -p s3cr3t",
        "CREATE USER KEEP IDENTIFIED BY s3cr3t",
        "x IDENTIFIED BY 's3cr3t' KEEP",
        "SET PASSWORD FOR 'KEEP' = 's3cr3t'",
        "option(\"password\", \"s3cr3t\").KEEP",
        "setPassword('s3cr3t').KEEP",
        "x[\"PASSWORD\"] = \"s3cr3t\" # KEEP",
        "(spark.x.password,s3cr3t) KEEP",
        "'--password', 's3cr3t', 'KEEP'",
        "Authorization: Digest username=\"x\", response=\"s3cr3t\"\nKEEP",
        "jdbc:oracle:thin:scott/\"s3cr3t@s3cr3t\"@KEEP:1521/x",
        "mongodb://user:a,s3cr3t@KEEP:27017",
        "x%3Fpassword%3Ds3cr3t%26x KEEP",
        "https://hooks.slack.com/services/s3cr3t/s3cr3t KEEP",
        "pw=s3cr3t KEEP",
        "db_pw: s3cr3t, KEEP",
        "encryption_key=s3cr3t KEEP",
        "session_key=s3cr3t KEEP",
        "signing-key: s3cr3t KEEP",
        "signing key: s3cr3t KEEP",
        "https://h/KEEP?X-Amz-Date=1&X-Amz-Signature=s3cr3t&x=1",
        "https://h/KEEP?X-Goog-Signature=s3cr3t",
        "https://h/KEEP?Expires=1&Signature=s3cr3t&x=1",
        "curl -u admin:s3cr3t KEEP",
        "curl -sSu 'admin:my s3cr3t' KEEP",
        "curl -uadmin:s3cr3t KEEP",
        "curl KEEP --user admin:s3cr3t",
        "curl KEEP \\\n  --proxy-user=admin:s3cr3t",
        "Command '['curl', '-u', 'admin:s3cr3t', 'KEEP']' returned 1",
        "<password>s3cr3t</password><x>KEEP</x>",
        "<password>\n  my s3cr3t\n</password><x>KEEP</x>",
        "<ns:password type='x'>s3cr3t</ns:password>KEEP",
        "<password><![CDATA[s3<>cr3t s3cr3t]]></password>KEEP",
        "KEEP<password>s3cr3t",
        "<name>x.password</name><value>s3cr3t</value>KEEP",
        "<name>x.password</name>\n    <value>my s3cr3t</value>\nKEEP",
        "<property name=\"password\" value=\"s3cr3t\"/> KEEP",
        "<add key='x.secret'\n value = 's3cr3t'/> KEEP",
        "{\"name\":\"DB_PASSWORD\", \"value\": \"s3cr3t\"} KEEP",
        "EnvVar(name=DB_PASSWORD, value=s3cr3t, valueFrom=KEEP)",
        "- name: DB_PASSWORD\n  value: s3cr3t\n- KEEP",
        "Cookie: session=s3cr3t; other=s3cr3t\nKEEP",
        "Set-Cookie:session=s3cr3t; other=s3cr3t\nKEEP",
        "curl -H 'Cookie: session=s3cr3t; b=s3cr3t' KEEP",
        "curl --cookie session=s3cr3t KEEP",
        "KEEP -----BEGIN PRIVATE KEY-----\ns3cr3t\n-----END PRIVATE KEY----- KEEP",
        "KEEP -----BEGIN RSA PRIVATE KEY-----\ns3cr3t\ns3cr3t",
        "private_key=-----BEGIN EC PRIVATE KEY-----\ns3cr3t\n-----END EC PRIVATE KEY-----\nKEEP",
        "\"key\":\"-----BEGIN PRIVATE KEY-----\\ns3cr3t\\n-----END PRIVATE KEY-----\\n\",\"KEEP\"",
        "private_key='-----BEGIN PRIVATE KEY-----\ns3cr3t\n-----END PRIVATE KEY-----' KEEP",
        "bearer -----BEGIN PRIVATE KEY-----\ns3cr3t\n-----END PRIVATE KEY----- KEEP",
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
        "the password for user x is wrong, the pw too",
        "Project [pw#1, encryption_key#2, cookie#3] +- Relation[pw#1,signature#4]",
        "select pw, session_key from t where encryption_key is null",
        "spark.io.encryption.keySizeBits=128 session_key_count=3",
        "method signature: (I)V",
        "docker run -u 1000:1000 x",
        "curl -u admin https://h:80/x",
        "curl x\nsort -u a:b",
        "Project [token#1, id#2L] +- HashAggregate(keys=[token#1], functions=[count(1)])",
        "Exchange hashpartitioning(token#12, 200), ENSURE_REQUIREMENTS, [plan_id=3]",
        "Filter (isnotnull(password#1) AND (id#2 = 5))",
        "SELECT * FROM t WHERE password IS NOT NULL AND id IN (1, 2)",
        "PushedFilters: [IsNotNull(password), EqualTo(id,5)], ReadSchema: struct<id:int>",
        "SortMergeJoin [token#1], [token_id#2], Inner, (token#1 = token#2)",
        "Filter (length(token#1) > 5)",
        "Project [split(text#1, ,) AS tokens#2, id#3 AS token#4, null AS secret#5]",
        "Window [rank(token#1) windowspecdefinition(id#2, token#1 ASC NULLS FIRST)]",
        "max_tokens=5, token_count: 12 password_length = 8",
        "/opt/secrets/db.properties /data/secret/part-0 s3://b/token/x",
        "java.io.IOException: /run/secrets/token: permission denied",
        "docker run -v /etc/secrets:/mnt -p 8080:80 x",
        "ssh -p 22 h; mkdir -p /tmp/x; mysql -h db -P 3306",
        "df.select(\"token\", \"id\").groupBy('password', 'x')",
        "client.getToken(\"name\"); dbutils.secrets.get(\"scope\", \"name\")",
        "rows are identified by name",
        "basic authentication is a basic arithmetic",
        "INSERT INTO t (password, id) VALUES (?)",
        "bypass=1 compass: north encompass='x'",
        "the answer is dapi0123 dapix123456789012345678901234567890123",
        "sk_live_short hf_short npm_short_name SG.x xapp-short glpat-short",
        "keyword arguments in (a, b) like c",
        "commit 0123456789abcdef0123456789abcdef01234567 of a token",
        "beeline -u jdbc:hive2://h:10000/x",
        "curl -u jdbc://h:10000/x",
        "a List<Token> of Map<Password, String> x",
        "<password></password><password/><token>\n<id>1</id></token>",
        "<name>x.user</name><value>y</value>",
        "name=\"user\" value=\"y\"",
        "a token, value = 3",
        "struct<name:string,pw_count:int>",
        "AIzaShort AIza-0123456789-0123456789-0123456789-tooLong",
        "ghp_short gha_0123456789012345678901234567890123456789 ghost_writer_of_a_long_long_word",
        "xoxb-short xoxz-0123456789-0123456789",
        "eyJhbGciOiJIUzI1NiJ9.onlyonedot eyJ.a.b eyJhbGciOiJIUzI1NiJ9 eyJson.package.of.classes",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
        "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----",
      })
  void harmlessTextIsTheSameInstance(String text) {
    assertThat(redactor.text(text)).isSameAs(text);
  }

  @Test
  void awsKeys() {
    assertThat(redactor.text("id AKIAIOSFODNN7EXAMPLE, x-ASIAIOSFODNN7EXAMPLE."))
        .isEqualTo("id " + REPLACEMENT + ", x-" + REPLACEMENT + ".");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "AIzaSyA-0123456789_abcdefghijklmnopqrst",
        "ghp_0123456789abcdefghijABCDEFGHIJ012345",
        "gho_0123456789abcdefghijABCDEFGHIJ012345",
        "ghs_0123456789abcdefghijABCDEFGHIJ012345",
        "github_pat_0123456789abcdefghijAB_0123456789abcdefghij0123456789",
        "xoxb-123456789012-123456789012-abcdefABCDEF",
        "xoxa-2-123456789012-abcdef",
        "xoxp-123456789012-abcdef",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P-lFUP0THsR8",
        "eyJhbGciOiJkaXIifQ..48V1_ALb6US04U3b.5eym8TW_c8SuK0lt.XFBoMYUZodetZdvTiFvSkQ",
        "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIIB\nabc=\n-----END ENCRYPTED PRIVATE KEY-----",
        "-----BEGIN PGP PRIVATE KEY BLOCK-----\nMIIB\n-----END PGP PRIVATE KEY BLOCK-----",
      })
  void secretsKnownByTheirShape(String secret) {
    assertThat(redactor.text(secret)).isEqualTo(REPLACEMENT);
    assertThat(redactor.text("at " + secret + ", in x/" + secret + ". End"))
        .isEqualTo("at " + REPLACEMENT + ", in x/" + REPLACEMENT + ". End");
    assertThat(redactor.text("Map(a -> " + secret + ")->x"))
        .isEqualTo("Map(a -> " + REPLACEMENT + ")->x");
    assertThat(redactor.conf("spark.x", secret)).isEqualTo(REPLACEMENT);
  }

  @Test
  void exactFormsOfPairsAndHeaders() {
    assertThat(redactor.text("<name>x.pw</name><value>y</value>"))
        .isEqualTo("<name>x.pw</name><value>" + REPLACEMENT + "</value>");
    assertThat(redactor.text("<x name=\"pw\" value=\"y\"/>"))
        .isEqualTo("<x name=\"pw\" value=\"" + REPLACEMENT + "\"/>");
    assertThat(redactor.text("<pw>y</pw>")).isEqualTo("<pw>" + REPLACEMENT + "</pw>");
    assertThat(redactor.text("curl -u a:b x")).isEqualTo("curl -u " + REPLACEMENT + " x");
    assertThat(redactor.text("Cookie: a=b; c=d")).isEqualTo("Cookie: " + REPLACEMENT);
    assertThat(redactor.text("struct<cookie:string,name:string>"))
        .isEqualTo("struct<cookie:" + REPLACEMENT + ",name:string>");
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
        "spark.x.encryption.key",
        "spark.x.encryptionKey",
        "parquet.encryption.key.list",
        "fs.azure.client-provided-encryption-key.account.dfs.core.windows.net",
        "spark.x.session.key",
        "spark.x.signing-key",
        "spark.db.pw",
        "pw",
      })
  void secretSettings(String key) {
    assertThat(redactor.conf(key, "v")).isEqualTo(REPLACEMENT);
  }

  @Test
  void otherSettings() {
    assertThat(redactor.conf("spark.executor.memory", "4g")).isEqualTo("4g");
    assertThat(redactor.conf("spark.driver.extraJavaOptions", "-Xmx1g -Dpassword=x"))
        .isEqualTo("-Xmx1g -Dpassword=" + REPLACEMENT);
    assertThat(redactor.conf("spark.io.encryption.keySizeBits", "128")).isEqualTo("128");
    assertThat(redactor.conf("spark.pwx", "1")).isEqualTo("1");
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
        "a",
        "=",
        ":",
        " ",
        "://",
        "://a:b/",
        "a=",
        "password",
        "password=",
        "password='",
        "password=(",
        "\"",
        "\\",
        "'",
        "bearer ",
        "bearer/",
        "jdbc:oracle:a:",
        "access key ",
        "a ",
        "--",
        "->",
        "AKIA",
        "password -> a,",
        "{\"a\":",
        "@",
        "x@y:",
        "authorization:",
        "\uD83D",
        "password=\\\"",
        "<password>",
        "<password a",
        "<password><![CDATA[",
        "<password> ",
        "<a:password>x",
        "<:",
        "<name>pw</name>",
        "name=pw value",
        "name=pw value=",
        "name=\"pw\",",
        "curl -u ",
        "curl -u,",
        "curl -u a:",
        "cookie:",
        "cookie:a",
        "eyJ",
        "eyJ-",
        "eyJhbGciOiJI.",
        "eyJhbGciOiJI..-",
        "ghp_",
        "github_pat_",
        "xoxb-",
        "AIza",
        "AIza-",
        "-----BEGIN ",
        "-----END ",
        "-----BEGIN PRIVATE KEY",
        "-----BEGIN PRIVATE KEY-----",
        "?signature=",
        "password#1 = ",
        "password#1,",
        "= password#1",
        "(password#1 ",
        "x AS password#1 ",
        "'x' = password",
        "' AS password ",
        "EqualTo(password,",
        "password#1 LIKE a",
        "password#1 IN (",
        "password IN ('",
        "password: |\n ",
        "password: |\n  x\n",
        "password='\n",
        "password=\"\"\"",
        "password=('",
        "mysql -p ",
        "-p ",
        "by '",
        "create user by x ",
        "mysql -p",
        "identified by '",
        "create user identified by ",
        "set password for ",
        "option(\"password\",",
        "setpassword('",
        "(spark.password,",
        "AKIAIOSFODNN7EXAMPLE,",
        "LS0tLS1CRUdJTi",
        "basic YTpi",
        "hooks.slack.com/services/",
        "dapi",
        "sk-proj-",
        "A=",
        "authorization: x=\"",
        "authorization: x=\\\"",
        "jdbc:oracle:a/b@",
        "password%3D",
        "x.y.z(",
      })
  void hostileTextIsLinear(String piece) {
    String text = TextSamples.million(piece);
    assertThat(redactor.text(text)).isNotNull();
    assertThat(redactor.conf(text, "x")).isNotNull();
  }
}
