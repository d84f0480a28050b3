package io.sparkotel.agent.event;

import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.agent.model.TraceModel;
import io.sparkotel.agent.replay.Logs;
import io.sparkotel.agent.telemetry.AttributeList;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Lines as servers of Spark 3.5 and 4.2 write them. */
class ServerJsonTest {

  private static final String THRIFT =
      "{\"Event\":\"org.apache.spark.sql.hive.thriftserver.ui.SparkListenerThriftServer";
  private static final String CONNECT =
      "{\"Event\":\"org.apache.spark.sql.connect.service.SparkListenerConnect";

  private static final class Read extends TraceModel {
    final List<ServerEvent> events = new ArrayList<>();

    Read() {
      super(Logs.config(), AttributeList.builder().build(), span -> {});
    }

    @Override
    public void serverEvent(ServerEvent event) {
      events.add(event);
    }
  }

  private final Read model = new Read();
  private final EventLogParser parser = new EventLogParser(model, "unnamed");

  private String parse(String line) throws IOException {
    byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
    return parser.parse(bytes, 0, bytes.length);
  }

  private ServerEvent read(String line) throws IOException {
    assertThat(parse(line)).isNull();
    assertThat(parser.unknownEvents()).isEmpty();
    return model.events.get(model.events.size() - 1);
  }

  @Test
  void aStatementOfTheThriftServer() throws IOException {
    ServerEvent start =
        read(
            THRIFT
                + "OperationStart\",\"id\":\"d1\",\"sessionId\":\"fc\",\"statement\":\"select 1\","
                + "\"groupId\":\"g1\",\"startTime\":1796046787382,\"userName\":\"ann\"}");
    assertThat(start.server).isEqualTo(ServerEvent.Server.THRIFT);
    assertThat(start.kind).isEqualTo(ServerEvent.Kind.STARTED);
    assertThat(start.operationId).isEqualTo("d1");
    assertThat(start.sessionId).isEqualTo("fc");
    assertThat(start.statement).isEqualTo("select 1");
    assertThat(start.group).isEqualTo("g1");
    assertThat(start.user).isEqualTo("ann");
    assertThat(start.time).isEqualTo(1796046787382L);

    ServerEvent error =
        read(
            THRIFT
                + "OperationError\",\"id\":\"d1\",\"errorMsg\":\"no\",\"errorTrace\":\"E: no\\n\","
                + "\"finishTime\":1796046787383}");
    assertThat(error.kind).isEqualTo(ServerEvent.Kind.FAILED);
    assertThat(error.error).isEqualTo("no");
    assertThat(error.stackTrace).isEqualTo("E: no\n");
    assertThat(error.time).isEqualTo(1796046787383L);

    assertThat(read(THRIFT + "OperationClosed\",\"id\":\"d1\",\"closeTime\":7}").time).isEqualTo(7);
  }

  @Test
  void anOperationOfConnect() throws IOException {
    ServerEvent start =
        read(
            CONNECT
                + "OperationStarted\",\"jobTag\":\"t1\",\"operationId\":\"o1\",\"eventTime\":5,"
                + "\"sessionId\":\"s1\",\"userId\":\"ann\",\"userName\":\"\",\"statementText\":"
                + "\"range {\\n}\\n\",\"sparkSessionTags\":[\"a\",\"b\"],\"extraTags\":{}}");
    assertThat(start.server).isEqualTo(ServerEvent.Server.CONNECT);
    assertThat(start.group).isEqualTo("t1");
    assertThat(start.user).isEqualTo("ann");
    assertThat(start.statement).isEqualTo("range {\n}\n");
    assertThat(start.tags).containsExactly("a", "b");

    ServerEvent end =
        read(
            CONNECT
                + "OperationFinished\",\"jobTag\":\"t1\",\"operationId\":\"o1\",\"eventTime\":6,"
                + "\"producedRowCount\":3,\"extraTags\":{}}");
    assertThat(end.kind).isEqualTo(ServerEvent.Kind.FINISHED);
    assertThat(end.rows).isEqualTo(3);
    assertThat(end.time).isEqualTo(6);
    ServerEvent unknownRows =
        read(
            CONNECT
                + "OperationFinished\",\"jobTag\":\"t1\",\"operationId\":\"o1\",\"eventTime\":6,"
                + "\"producedRowCount\":null,\"extraTags\":{}}");
    assertThat(unknownRows.rows).isNull();
  }

  @Test
  void sessionsAndServersAreKnownAndOperationsNeedAnId() throws IOException {
    read(
        THRIFT
            + "SessionCreated\",\"ip\":\"1\",\"sessionId\":\"s\",\"userName\":\"a\",\"startTime\":1}");
    read(THRIFT + "OperationParsed\",\"id\":\"d1\",\"executionPlan\":\"== Parsed ==\"}");
    read(CONNECT + "ServiceStarted\",\"hostAddress\":\"h\",\"bindingPort\":1,\"eventTime\":1}");
    assertThat(model.events).extracting(event -> event.kind).containsOnly(ServerEvent.Kind.OTHER);
    assertThat(parse(THRIFT + "OperationStart\",\"statement\":\"x\"}"))
        .isEqualTo("SparkListenerThriftServerOperationStart without its operation");
    assertThat(parse(CONNECT + "OperationPaused\",\"operationId\":\"x\"}")).isNull();
    assertThat(parser.unknownEvents()).hasSize(1);
  }

  @Test
  void theGroupAndTheTagsOfAnExecution() throws IOException {
    SqlStart[] started = new SqlStart[1];
    TraceModel sqls =
        new TraceModel(Logs.config(), AttributeList.builder().build(), span -> {}) {
          @Override
          public void sqlStart(SqlStart event) {
            started[0] = event;
          }
        };
    EventLogParser sql = new EventLogParser(sqls, "unnamed");
    String head =
        "{\"Event\":\"org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart\","
            + "\"executionId\":1,\"time\":2";
    byte[] line =
        (head + ",\"jobTags\":[\"b\",\"a\"],\"jobGroupId\":\"g\"}")
            .getBytes(StandardCharsets.UTF_8);
    sql.parse(line, 0, line.length);
    assertThat(started[0].jobTags).isEqualTo("a,b");
    assertThat(started[0].jobGroup).isEqualTo("g");
    assertThat(started[0].tellsJobGroup).isTrue();
    line = (head + ",\"jobTags\":[],\"jobGroupId\":null}").getBytes(StandardCharsets.UTF_8);
    sql.parse(line, 0, line.length);
    assertThat(started[0].jobTags).isNull();
    assertThat(started[0].jobGroup).isNull();
    assertThat(started[0].tellsJobGroup).isTrue();
    line = (head + "}").getBytes(StandardCharsets.UTF_8);
    sql.parse(line, 0, line.length);
    assertThat(started[0].tellsJobGroup).isFalse();
  }
}
