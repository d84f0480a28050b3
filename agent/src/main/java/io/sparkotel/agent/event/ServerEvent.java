package io.sparkotel.agent.event;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What Spark's Thrift server or Connect server tells of itself, of its sessions and of what they
 * run. Both write the fields of their events under the names of the events' own accessors, so one
 * list of names serves a listener and a log.
 */
public final class ServerEvent {

  /** Which of the servers. */
  public enum Server {
    THRIFT("org.apache.spark.sql.hive.thriftserver.ui.SparkListenerThriftServer"),
    CONNECT("org.apache.spark.sql.connect.service.SparkListenerConnect");

    private final String prefix;

    Server(String prefix) {
      this.prefix = prefix;
    }
  }

  /** What happened, as far as it is of use; the rest of the kinds are of sessions and servers. */
  public enum Kind {
    OTHER(null),
    STARTED(null),
    ANALYZED("analyzed"),
    READY("ready"),
    FINISHED("finished"),
    FAILED("failed"),
    CANCELED("canceled"),
    TIMED_OUT("timed out"),
    CLOSED("closed");

    private final String state;

    Kind(String state) {
      this.state = state;
    }

    /** The state of the operation from then on; null where it changes none. */
    public String state() {
      return state;
    }

    /** Nothing of the operation runs from then on; results may still be fetched. */
    public boolean isEnd() {
      return this == FINISHED || this == FAILED || this == CANCELED || this == TIMED_OUT;
    }
  }

  /** How the value of a field is read. */
  public enum Type {
    TEXT,
    NUMBER,
    TEXTS
  }

  /** A statement of many megabytes would be held as long as its operation is open. */
  private static final int MAX_TEXT_CHARS = 8_192;

  private static final int MAX_TAGS = 32;

  private static final Map<String, Kind> KINDS = new HashMap<>();
  private static final Map<String, Type> FIELDS = new HashMap<>();

  static {
    KINDS.put("ServiceStarted", Kind.OTHER);
    KINDS.put("ServiceEnd", Kind.OTHER);
    KINDS.put("SessionCreated", Kind.OTHER);
    KINDS.put("SessionStarted", Kind.OTHER);
    KINDS.put("SessionClosed", Kind.OTHER);
    KINDS.put("OperationStart", Kind.STARTED);
    KINDS.put("OperationStarted", Kind.STARTED);
    // The Thrift server does not say when, but for what comes next.
    KINDS.put("OperationParsed", Kind.OTHER);
    KINDS.put("OperationAnalyzed", Kind.ANALYZED);
    KINDS.put("OperationReadyForExecution", Kind.READY);
    KINDS.put("OperationFinish", Kind.FINISHED);
    KINDS.put("OperationFinished", Kind.FINISHED);
    KINDS.put("OperationError", Kind.FAILED);
    KINDS.put("OperationFailed", Kind.FAILED);
    KINDS.put("OperationCanceled", Kind.CANCELED);
    KINDS.put("OperationTimeout", Kind.TIMED_OUT);
    KINDS.put("OperationClosed", Kind.CLOSED);
    for (String text :
        new String[] {
          "id",
          "operationId",
          "sessionId",
          "userName",
          "userId",
          "statement",
          "statementText",
          "groupId",
          "jobTag",
          "errorMsg",
          "errorMessage",
          "errorTrace"
        }) {
      FIELDS.put(text, Type.TEXT);
    }
    for (String number :
        new String[] {"startTime", "finishTime", "closeTime", "eventTime", "producedRowCount"}) {
      FIELDS.put(number, Type.NUMBER);
    }
    FIELDS.put("sparkSessionTags", Type.TEXTS);
  }

  public final Server server;
  public final Kind kind;

  /** Null in events that are of none. */
  public String operationId;

  public String sessionId;

  /** The id of the user, of the Thrift server the name; null where it is not told or empty. */
  public String user;

  /**
   * SQL; of Connect a plan or a command in the text form of protocol buffers, which may hold SQL.
   */
  public String statement;

  /** The job group, of Connect the job tag, of all that runs for the operation. */
  public String group;

  /** Why it failed, or null. */
  public String error;

  /** What the error came from, or null. */
  public String stackTrace;

  /** Of the result, or null. */
  public Long rows;

  /** Those that the client set, Connect only. */
  public List<String> tags = Collections.emptyList();

  /** Epoch milliseconds; 0 where it is not told. */
  public long time;

  private ServerEvent(Server server, Kind kind) {
    this.server = server;
    this.kind = kind;
  }

  /** An event of that class, still without its fields; null where it is none of these. */
  public static ServerEvent of(String className) {
    for (Server server : Server.values()) {
      if (className.startsWith(server.prefix)) {
        Kind kind = KINDS.get(className.substring(server.prefix.length()));
        return kind == null ? null : new ServerEvent(server, kind);
      }
    }
    return null;
  }

  /** The fields that are read, and how. */
  public static Map<String, Type> fields() {
    return Collections.unmodifiableMap(FIELDS);
  }

  /** A text as far as these events hold one. */
  public static String cut(String text) {
    return text.length() > MAX_TEXT_CHARS ? text.substring(0, MAX_TEXT_CHARS) : text;
  }

  /** Takes a field that is {@link Type#TEXT}; null is absent. */
  public void put(String field, String value) {
    if (value == null) {
      return;
    }
    String text = cut(value);
    switch (field) {
      case "id":
      case "operationId":
        operationId = text;
        break;
      case "sessionId":
        sessionId = text;
        break;
      case "userId":
        user = text.isEmpty() ? user : text;
        break;
      case "userName":
        user = text.isEmpty() || user != null ? user : text;
        break;
      case "statement":
      case "statementText":
        statement = text;
        break;
      case "groupId":
      case "jobTag":
        group = text;
        break;
      case "errorMsg":
      case "errorMessage":
        error = text;
        break;
      case "errorTrace":
        stackTrace = text;
        break;
      default:
        // Of no use in this kind of event.
    }
  }

  /** Takes a field that is {@link Type#NUMBER}; null is absent. */
  public void put(String field, Long value) {
    if (value == null) {
      return;
    }
    if (field.equals("producedRowCount")) {
      rows = value;
    } else {
      time = value;
    }
  }

  /** Takes a field that is {@link Type#TEXTS}, as far as these events hold some. */
  public void put(String field, List<String> values) {
    List<String> held = new ArrayList<>();
    for (String value : values.subList(0, Math.min(values.size(), MAX_TAGS))) {
      held.add(cut(value));
    }
    tags = held;
  }

  /** Tells its operation from every other one; null in events that are of none. */
  public String key() {
    // Clients of Spark Connect choose the id: that of another one's may be the same.
    return server == Server.CONNECT && group != null ? group : operationId;
  }
}
