package io.sparkotel.agent.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Texts as Spark 4.2's own server writes them. */
class ConnectTextTest {

  private static final String SQL =
      """
      sql_command {
        input {
          common {
            plan_id: 3
          }
          sql {
            query: "select 'it\\'s', \\"a\\"\\nfrom t where id <> 7"
          }
        }
      }
      """;

  private static final String PLAN =
      """
      common {
        plan_id: 2
      }
      filter {
        input {
          common {
            plan_id: 1
            source: "common of a plan"
          }
          read {
            named_table {
              unparsed_identifier: "db.people"
              options {
                key: "password"
                value: "hunter2"
              }
            }
          }
        }
        condition {
          unresolved_function {
            function_name: "="
            arguments {
              unresolved_attribute {
                unparsed_identifier: "name"
              }
            }
            arguments {
              literal {
                string: "O\\'Hara }"
              }
            }
            arguments {
              literal {
                array {
                  elements {
                    integer: 5
                  }
                }
              }
            }
            arguments {
              expression_string {
                expression: "age > 30"
              }
            }
          }
        }
        limit: 20
        data: "\\000\\001Ann"
      }
      """;

  @Test
  void aStatementIsSql() {
    ConnectText text = ConnectText.of(SQL);
    assertThat(text.sql()).isEqualTo("select 'it's', \"a\" from t where id <> 7");
    assertThat(text.command()).isEqualTo("sql command");
    assertThat(text.masked()).doesNotContain("it", "7").contains("query: \"select ?");
  }

  @Test
  void aRelationAroundTheStatementIsAPlan() {
    ConnectText text =
        ConnectText.of("limit {\n  input {\n    sql {\n      query: \"select 5\"\n    }\n  }\n}");
    assertThat(text.sql()).isNull();
    assertThat(text.command()).isEqualTo("limit");
    assertThat(text.masked())
        .isEqualTo("limit {\n  input {\n    sql {\n      query: \"select ?\"\n    }\n  }\n}");
  }

  @Test
  void aPlanShowsNamesAndNoValues() {
    ConnectText text = ConnectText.of(PLAN);
    assertThat(text.sql()).isNull();
    assertThat(text.command()).isEqualTo("filter");
    assertThat(text.masked())
        .isEqualTo(
            """
            filter {
              input {
                read {
                  named_table {
                    unparsed_identifier: "db.people"
                    options {
                      key: "password"
                      value: ?
                    }
                  }
                }
              }
              condition {
                unresolved_function {
                  function_name: "="
                  arguments {
                    unresolved_attribute {
                      unparsed_identifier: "name"
                    }
                  }
                  arguments {
                    literal {
                      string: ?
                    }
                  }
                  arguments {
                    literal {
                      array {
                        elements {
                          integer: ?
                        }
                      }
                    }
                  }
                  arguments {
                    expression_string {
                      expression: "age > ?"
                    }
                  }
                }
              }
              limit: 20
              data: ?
            }""");
  }

  /** A text that was cut, or none of a server's. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "}",
        "}\n}\n}",
        "common {",
        "literal {\n  string: \"secr",
        "a: ",
        "\"",
        "query: \"a = 'secr",
        "value: \"secr"
      })
  void anyTextIsRead(String text) {
    ConnectText read = ConnectText.of(text);
    assertThat(read.masked()).doesNotContain("secr");
    assertThat(read.command()).doesNotContain("secr");
  }

  @ParameterizedTest
  @CsvSource({
    "select * from t, select",
    "CREATE TABLE t AS SELECT ?, create table",
    "insert overwrite t values (?), insert overwrite",
    "with x as (select ?) select * from x, with",
    "(select ?), select",
    "show, show",
    "create or replace temp view v as select ?, create view",
    "describe mydb.t, describe",
    "describe formatted mydb.t, describe formatted",
    "mydb is nothing, statement",
    "'', statement"
  })
  void labelsOfStatements(String sql, String label) {
    assertThat(GroupLabels.ofSql(sql)).isEqualTo(label);
  }

  @ParameterizedTest
  @CsvSource({
    "nightly, , nightly",
    "nightly-2024-11-30, , nightly-*-*-*",
    "7, Job group for statement 7, Job group for statement *",
    "7, , *",
    "5dc2d0b5-0f0b-4b07-8a0e-6c8f0f1f9d10, count all, count all",
    "17, SELECT * FROM t WHERE name = 'John', select",
    "434_656, df = spark.table('people'), *_*",
    "zeppelin|ann|2ABC|paragraph_1700000000_1, , zeppelin|ann|*|paragraph_*_*"
  })
  void labelsOfGroups(String id, String description, String label) {
    assertThat(GroupLabels.ofGroup(id, description)).isEqualTo(label);
  }

  /** A label costs little, whatever it is made of. */
  @Test
  @Timeout(20)
  void labelsOfLongIds() {
    String id = "a".repeat(1_000_000);
    assertThat(GroupLabels.ofGroup(id, id)).hasSize(60);
    assertThat(GroupLabels.ofGroup("7", id)).hasSize(60);
  }

  @Test
  void numbersOfThePlanAreNoValues() {
    String plan = "replace {\n  values {\n    long: 4111\n  }\n}\nlimit {\n  limit: 21\n}\n";
    assertThat(ConnectText.of(plan).masked())
        .isEqualTo("replace {\n  values {\n    long: ?\n  }\n}\nlimit {\n  limit: 21\n}");
  }

  @Test
  void tagsOfTheUserAndOfSpark() {
    String session =
        "SparkConnect_SessionTag_User_ann_Session_5dc2d0b5-0f0b-4b07-8a0e-6c8f0f1f9d10_Tag_etl";
    String operation = "SparkConnect_OperationTag_User_ann_Session_x_Operation_y";
    String all =
        operation
            + ","
            + session
            + ",mine,traceparent=00-x"
            + ",spark-session-5dc2d0b5-0f0b-4b07-8a0e-6c8f0f1f9d10"
            + ",spark-session-5dc2d0b5-0f0b-4b07-8a0e-6c8f0f1f9d10-execution-root-id-7"
            + ",spark-session-5dc2d0b5-0f0b-4b07-8a0e-6c8f0f1f9d10"
            + "-thread-5dc2d0b5-0f0b-4b07-8a0e-6c8f0f1f9d11-load";
    assertThat(JobTags.users(all)).containsExactly("etl", "mine", "load");
    assertThat(JobTags.operation(all)).isEqualTo(operation);
    assertThat(JobTags.operation("mine")).isNull();
    assertThat(JobTags.users(null)).isEmpty();
  }
}
