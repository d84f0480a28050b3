package io.sparkotel.agent.event;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import io.sparkotel.agent.model.TraceModel;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Reads lines of an event log, Spark 1.x to 4.x, into neutral events and hands them to the model.
 * Unknown events and fields are passed over; unknown events are counted by name.
 */
public final class EventLogParser {

  private static final String SQL_PREFIX = "org.apache.spark.sql.execution.ui.";
  private static final String SCALA_VERSION_PREFIX = "version ";
  private static final int MAX_UNKNOWN_NAMES = 100;

  private final JsonFactory json =
      new JsonFactoryBuilder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxStringLength(Integer.MAX_VALUE)
                  .maxNestingDepth(100_000)
                  .build())
          .build();
  private final TraceModel model;
  private final Map<String, Long> unknown = new TreeMap<>();
  private String sparkVersion;

  public EventLogParser(TraceModel model) {
    this.model = model;
  }

  /** How often each unknown event was seen; of many names the first 100. */
  public Map<String, Long> unknownEvents() {
    return unknown;
  }

  /**
   * Reads one event.
   *
   * @param line holds the JSON in UTF-8
   * @return false where the line holds JSON that is no event
   * @throws IOException where the line is not JSON
   */
  public boolean parse(byte[] line, int offset, int length) throws IOException {
    try (JsonParser parser = json.createParser(line, offset, length)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        return false;
      }
      // Spark writes the event's name first; what other tools wrote again may not.
      if ("Event".equals(parser.nextFieldName())) {
        dispatch(parser.nextTextValue(), parser);
        return true;
      }
    }
    String event = findEvent(line, offset, length);
    if (event == null) {
      return false;
    }
    try (JsonParser parser = json.createParser(line, offset, length)) {
      parser.nextToken();
      dispatch(event, parser);
      return true;
    }
  }

  private String findEvent(byte[] line, int offset, int length) throws IOException {
    try (JsonParser parser = json.createParser(line, offset, length)) {
      parser.nextToken();
      for (String field = parser.nextFieldName(); field != null; field = parser.nextFieldName()) {
        JsonToken value = parser.nextToken();
        if (field.equals("Event") && value == JsonToken.VALUE_STRING) {
          return parser.getText();
        }
        parser.skipChildren();
      }
      return null;
    }
  }

  private void dispatch(String event, JsonParser parser) throws IOException {
    JsonFields fields = new JsonFields(parser);
    switch (event == null ? "" : event) {
      case "SparkListenerTaskEnd":
        model.taskEnd(TaskJson.end(fields));
        break;
      case "SparkListenerTaskStart":
        model.taskStart(TaskJson.start(fields));
        break;
      case "SparkListenerStageSubmitted":
        stage(fields, false);
        break;
      case "SparkListenerStageCompleted":
        stage(fields, true);
        break;
      case "SparkListenerJobStart":
        jobStart(fields);
        break;
      case "SparkListenerJobEnd":
        jobEnd(fields);
        break;
      case "SparkListenerExecutorAdded":
        executor(fields, true);
        break;
      case "SparkListenerExecutorRemoved":
        executor(fields, false);
        break;
      case "SparkListenerLogStart":
        logStart(fields);
        break;
      case "SparkListenerEnvironmentUpdate":
        environment(fields);
        break;
      case "SparkListenerApplicationStart":
        applicationStart(fields);
        break;
      case "SparkListenerApplicationEnd":
        applicationEnd(fields);
        break;
      case SQL_PREFIX + "SparkListenerSQLExecutionStart":
        model.sqlStart(SqlJson.start(fields));
        break;
      case SQL_PREFIX + "SparkListenerSQLAdaptiveExecutionUpdate":
        SqlJson.update(fields, model);
        break;
      case SQL_PREFIX + "SparkListenerSQLExecutionEnd":
        model.sqlEnd(SqlJson.end(fields));
        break;
      default:
        unknown(event);
    }
  }

  private void unknown(String event) {
    String name = String.valueOf(event);
    if (unknown.size() < MAX_UNKNOWN_NAMES || unknown.containsKey(name)) {
      unknown.merge(name, 1L, Long::sum);
    }
  }

  private void stage(JsonFields fields, boolean completed) throws IOException {
    StageInfo stage = null;
    while (fields.next()) {
      if (fields.is("Stage Info")) {
        stage = stageInfo(fields);
      } else {
        fields.skip();
      }
    }
    if (stage == null) {
      return;
    }
    if (completed) {
      model.stageCompleted(stage);
    } else {
      // The log is written later than the event was posted: what came since is not this event's.
      stage.completionTime = null;
      stage.failureReason = null;
      model.stageSubmitted(stage);
    }
  }

  private static StageInfo stageInfo(JsonFields fields) throws IOException {
    StageInfo stage = new StageInfo();
    if (!fields.enter()) {
      return null;
    }
    while (fields.next()) {
      switch (fields.name()) {
        case "Stage ID":
          stage.id = (int) fields.number();
          break;
        case "Stage Attempt ID":
          stage.attempt = (int) fields.number();
          break;
        case "Stage Name":
          stage.name = fields.text();
          break;
        case "Number of Tasks":
          stage.tasks = (int) fields.number();
          break;
        case "Parent IDs":
          stage.parentIds = fields.texts();
          break;
        case "Details":
          stage.details = fields.text();
          break;
        case "Submission Time":
          stage.submissionTime = fields.numberOrNull();
          break;
        case "Completion Time":
          stage.completionTime = fields.numberOrNull();
          break;
        case "Failure Reason":
          stage.failureReason = fields.text();
          break;
        default:
          fields.skip();
      }
    }
    return stage;
  }

  private void jobStart(JsonFields fields) throws IOException {
    int jobId = 0;
    long time = 0;
    List<StageInfo> stages = new ArrayList<>();
    List<String> stageIds = new ArrayList<>();
    Map<String, String> properties = new HashMap<>();
    while (fields.next()) {
      switch (fields.name()) {
        case "Job ID":
          jobId = (int) fields.number();
          break;
        case "Submission Time":
          time = fields.number();
          break;
        case "Stage Infos":
          for (boolean more = fields.enterArray(); more && fields.nextElement(); ) {
            stages.add(stageInfo(fields));
          }
          break;
        case "Stage IDs":
          stageIds = fields.texts();
          break;
        case "Properties":
          if (fields.enter()) {
            while (fields.next()) {
              if (JobProperties.reads(fields.name())) {
                properties.put(fields.name(), fields.text());
              } else {
                fields.skip();
              }
            }
          }
          break;
        default:
          fields.skip();
      }
    }
    if (stages.isEmpty()) {
      stages = stagesWithoutInfo(stageIds);
    }
    model.jobStart(new JobStart(jobId, time, stages, new JobProperties(properties::get)));
  }

  /** Spark before 1.2 told only the ids. */
  private static List<StageInfo> stagesWithoutInfo(List<String> ids) {
    List<StageInfo> stages = new ArrayList<>();
    for (String id : ids) {
      StageInfo stage = new StageInfo();
      stage.id = Integer.parseInt(id);
      stages.add(stage);
    }
    return stages;
  }

  private void jobEnd(JsonFields fields) throws IOException {
    int jobId = 0;
    long time = 0;
    boolean succeeded = false;
    String message = null;
    while (fields.next()) {
      switch (fields.name()) {
        case "Job ID":
          jobId = (int) fields.number();
          break;
        case "Completion Time":
          time = fields.number();
          break;
        case "Job Result":
          if (fields.enter()) {
            while (fields.next()) {
              if (fields.is("Result")) {
                succeeded = "JobSucceeded".equals(fields.text());
              } else if (fields.is("Exception") && fields.enter()) {
                message = message(fields);
              } else {
                fields.skip();
              }
            }
          }
          break;
        default:
          fields.skip();
      }
    }
    model.jobEnd(new JobEnd(jobId, time, succeeded, message));
  }

  private static String message(JsonFields fields) throws IOException {
    String message = null;
    while (fields.next()) {
      if (fields.is("Message")) {
        message = fields.text();
      } else {
        fields.skip();
      }
    }
    return message;
  }

  private void executor(JsonFields fields, boolean added) throws IOException {
    long time = 0;
    String id = null;
    while (fields.next()) {
      switch (fields.name()) {
        case "Timestamp":
          time = fields.number();
          break;
        case "Executor ID":
          id = fields.text();
          break;
        default:
          fields.skip();
      }
    }
    if (added) {
      model.executorAdded(time, id);
    } else {
      model.executorRemoved(time, id);
    }
  }

  private void logStart(JsonFields fields) throws IOException {
    while (fields.next()) {
      if (fields.is("Spark Version")) {
        sparkVersion = fields.text();
      } else {
        fields.skip();
      }
    }
  }

  private void environment(JsonFields fields) throws IOException {
    Map<String, String> jvm = new HashMap<>();
    Map<String, String> spark = new HashMap<>();
    while (fields.next()) {
      switch (fields.name()) {
        case "JVM Information":
          fields.texts(jvm);
          break;
        case "Spark Properties":
          fields.texts(spark);
          break;
        default:
          fields.skip();
      }
    }
    String scala = jvm.get("Scala Version");
    if (scala != null && scala.startsWith(SCALA_VERSION_PREFIX)) {
      scala = scala.substring(SCALA_VERSION_PREFIX.length());
    }
    model.environment(new Environment(sparkVersion, scala, spark));
  }

  private void applicationStart(JsonFields fields) throws IOException {
    String id = null;
    String attempt = null;
    String name = null;
    String user = null;
    long time = 0;
    while (fields.next()) {
      switch (fields.name()) {
        case "App ID":
          id = fields.text();
          break;
        case "App Attempt ID":
          attempt = fields.text();
          break;
        case "App Name":
          name = fields.text();
          break;
        case "User":
          user = fields.text();
          break;
        case "Timestamp":
          time = fields.number();
          break;
        default:
          fields.skip();
      }
    }
    model.applicationStart(new ApplicationStart(id, attempt, name, user, time));
  }

  private void applicationEnd(JsonFields fields) throws IOException {
    long time = 0;
    Integer exitCode = null;
    while (fields.next()) {
      switch (fields.name()) {
        case "Timestamp":
          time = fields.number();
          break;
        case "ExitCode":
          Long code = fields.numberOrNull();
          exitCode = code == null ? null : code.intValue();
          break;
        default:
          fields.skip();
      }
    }
    model.applicationEnd(time, exitCode);
  }
}
