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
import java.util.regex.Pattern;

/**
 * Reads lines of an event log, Spark 1.x to 4.x, into neutral events and hands them to the model.
 * Unknown events and fields are passed over; unknown events are counted by name.
 */
public final class EventLogParser {

  private static final String SQL_PREFIX = "org.apache.spark.sql.execution.ui.";
  private static final String STREAM_PREFIX =
      "org.apache.spark.sql.streaming.StreamingQueryListener$";
  private static final String SCALA_VERSION_PREFIX = "version ";

  /** More than the kinds that are read. */
  private static final int MAX_ORDERS = 64;

  private static final int MAX_UNKNOWN_NAMES = 100;
  private static final int MAX_NAME_CHARS = 200;
  private static final Pattern STAGE_ID = Pattern.compile("\\d{1,9}");
  private static final String OTHERS = "(others)";

  private final JsonFactory json =
      new JsonFactoryBuilder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxStringLength(Integer.MAX_VALUE)
                  .maxNameLength(Integer.MAX_VALUE)
                  .maxNumberLength(Integer.MAX_VALUE)
                  .maxNestingDepth(100_000)
                  .build())
          .build();
  private final TraceModel model;
  private final String unnamedId;
  private final Map<String, FieldOrder> orders = new HashMap<>();
  private final TaskLines taskLines = new TaskLines();
  private final Map<String, Long> unknown = new TreeMap<>();
  private String sparkVersion;
  private long events;

  /** Of the events so far, epoch milliseconds. */
  private long lastTime;

  /** Spark before 1.3 told no times of jobs: this one waits for its first stage to tell it. */
  private JobStart untimedJob;

  /**
   * @param unnamedId the application's id where the log tells none, as before Spark 1.2
   */
  public EventLogParser(TraceModel model, String unnamedId) {
    this.model = model;
    this.unnamedId = unnamedId;
  }

  /** Events read, unknown ones included. */
  public long events() {
    return events;
  }

  /** How often each unknown event was seen; of many names the first 100. */
  public Map<String, Long> unknownEvents() {
    return unknown;
  }

  /** No line follows. */
  public void end() {
    startUntimedJob(lastTime);
  }

  /**
   * Reads the event of a line, or the events where a newline got lost.
   *
   * @param line holds the JSON in UTF-8
   * @return what could not be read of it, or null
   * @throws IOException where the line is not JSON; then nothing of it was read
   */
  public String parse(byte[] line, int offset, int length) throws IOException {
    boolean read = false;
    try (JsonParser parser = json.createParser(line, offset, length)) {
      for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
        if (token != JsonToken.START_OBJECT) {
          return read ? "text behind the event" : "JSON without an event";
        }
        // Spark writes the event's name first; what other tools wrote again may not.
        String event = "Event".equals(parser.nextFieldName()) ? parser.nextTextValue() : null;
        if (event == null) {
          return read ? "text behind the event" : parseInAnyOrder(line, offset, length);
        }
        String problem = dispatch(event, parser);
        if (problem != null) {
          return problem;
        }
        read = true;
      }
      return read ? null : "JSON without an event";
    } catch (IOException e) {
      if (read) {
        return "text behind the event";
      }
      throw e;
    }
  }

  /**
   * Reads a line of a task's start or end, which most are; false where it is another one or one
   * that takes {@link #parse}: then nothing of it was read.
   */
  boolean parseTask(byte[] line, int from, int to) throws IOException {
    TaskEnd end = taskLines.end(line, from, to);
    TaskStart start = end == null ? taskLines.start(line, from, to) : null;
    boolean read = end == null ? start != null && taskStart(start) == null : taskEnd(end) == null;
    if (read) {
      events++;
    }
    return read;
  }

  private String parseInAnyOrder(byte[] line, int offset, int length) throws IOException {
    String event = findEvent(line, offset, length);
    if (event == null) {
      return "JSON without an event";
    }
    try (JsonParser parser = json.createParser(line, offset, length)) {
      parser.nextToken();
      return dispatch(event, parser);
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

  /** Bounded, because the names of events are anybody's; one that is not kept starts anew. */
  private FieldOrder order(String event) {
    FieldOrder known = orders.get(event);
    if (known == null) {
      known = FieldOrder.start();
      if (orders.size() < MAX_ORDERS) {
        orders.put(event, known);
      }
    }
    return known;
  }

  /** Reads an event to its end, then tells the model; gives what is missing in it, or null. */
  private String dispatch(String event, JsonParser parser) throws IOException {
    JsonFields fields = new JsonFields(parser, order(event));
    String problem = null;
    switch (event) {
      case "SparkListenerTaskEnd":
        problem = taskEnd(TaskJson.end(fields));
        break;
      case "SparkListenerTaskStart":
        problem = taskStart(TaskJson.start(fields));
        break;
      case "SparkListenerStageSubmitted":
        problem = stage(fields, false);
        break;
      case "SparkListenerStageCompleted":
        problem = stage(fields, true);
        break;
      case "SparkListenerJobStart":
        problem = jobStart(fields);
        break;
      case "SparkListenerJobEnd":
        problem = jobEnd(fields);
        break;
      case "SparkListenerExecutorAdded":
        problem = executorAdded(ExecutorJson.added(fields));
        break;
      case "SparkListenerExecutorRemoved":
        problem = executorRemoved(fields);
        break;
      case "SparkListenerResourceProfileAdded":
        problem = profile(ExecutorJson.profile(fields));
        break;
      case "SparkListenerStageExecutorMetrics":
        problem = ExecutorMetricsJson.ofStage(fields, model);
        break;
      case "SparkListenerLogStart":
      case "DBCEventLoggingListenerMetadata":
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
        problem = sqlStart(SqlJson.start(fields));
        break;
      case SQL_PREFIX + "SparkListenerSQLAdaptiveExecutionUpdate":
        problem = SqlJson.update(fields, model);
        break;
      case SQL_PREFIX + "SparkListenerDriverAccumUpdates":
        problem = SqlJson.driverMetrics(fields, model);
        break;
      case SQL_PREFIX + "SparkListenerSQLExecutionEnd":
        problem = sqlEnd(SqlJson.end(fields));
        break;
      case STREAM_PREFIX + "QueryStartedEvent":
        problem = StreamJson.start(fields, model);
        break;
      case STREAM_PREFIX + "QueryProgressEvent":
        problem = StreamJson.progress(fields, model);
        break;
      case STREAM_PREFIX + "QueryIdleEvent":
        problem = StreamJson.idle(fields, model);
        break;
      case STREAM_PREFIX + "QueryTerminatedEvent":
        problem = StreamJson.end(fields, model);
        break;
      default:
        problem = serverEvent(event, fields);
    }
    events++;
    return problem == null ? null : event.substring(event.lastIndexOf('.') + 1) + " " + problem;
  }

  private String serverEvent(String name, JsonFields fields) throws IOException {
    ServerEvent event = ServerEvent.of(name);
    if (event == null) {
      passOver(fields);
      unknown(name);
      return null;
    }
    String problem = ServerJson.read(event, fields);
    if (problem == null) {
      time(event.time);
      model.serverEvent(event);
    }
    return problem;
  }

  private static void passOver(JsonFields fields) throws IOException {
    while (fields.next()) {
      fields.skip();
    }
  }

  private void unknown(String event) {
    String name = event.length() > MAX_NAME_CHARS ? event.substring(0, MAX_NAME_CHARS) : event;
    if (unknown.size() >= MAX_UNKNOWN_NAMES && !unknown.containsKey(name)) {
      name = OTHERS;
    }
    unknown.merge(name, 1L, Long::sum);
  }

  /** Takes note of the time of an event, which is 0 where it has none. */
  private void time(long millis) {
    lastTime = Math.max(lastTime, millis);
  }

  /** Not known: that of the events before. */
  private long timeOrLast(long millis) {
    time(millis);
    return millis == 0 ? lastTime : millis;
  }

  private void startUntimedJob(long time) {
    if (untimedJob != null) {
      JobStart job = untimedJob;
      untimedJob = null;
      model.jobStart(new JobStart(job.jobId, time, job.stages, job.properties));
    }
  }

  private String taskStart(TaskStart start) {
    if (start.stageId < 0 || start.task == null || start.task.id < 0) {
      return "without " + (start.stageId < 0 ? "its stage" : "its task");
    }
    time(start.task.launchTime);
    model.taskStart(start);
    return null;
  }

  private String taskEnd(TaskEnd end) {
    if (end.stageId < 0 || end.task == null || end.task.id < 0) {
      return "without " + (end.stageId < 0 ? "its stage" : "its task");
    }
    time(end.task.finishTime);
    model.taskEnd(end);
    return null;
  }

  private String sqlStart(SqlStart start) {
    if (start.executionId < 0) {
      return "without its execution";
    }
    start.time = timeOrLast(start.time);
    model.sqlStart(start);
    return null;
  }

  private String sqlEnd(SqlEnd end) {
    if (end.executionId < 0) {
      return "without its execution";
    }
    model.sqlEnd(new SqlEnd(end.executionId, timeOrLast(end.time), end.errorMessage));
    return null;
  }

  private String stage(JsonFields fields, boolean completed) throws IOException {
    StageInfo stage = null;
    while (fields.next()) {
      if (fields.is("Stage Info")) {
        stage = stageInfo(fields);
      } else {
        fields.skip();
      }
    }
    if (stage == null) {
      return "without its stage";
    }
    if (completed) {
      time(stage.completionTime == null ? 0 : stage.completionTime);
      model.stageCompleted(stage);
      return null;
    }
    long submitted = timeOrLast(stage.submissionTime == null ? 0 : stage.submissionTime);
    startUntimedJob(submitted);
    // The log is written later than the event was posted: what came since is not this event's.
    stage.completionTime = null;
    stage.failureReason = null;
    stage.sqlMetrics = null;
    model.stageSubmitted(stage);
    return null;
  }

  /** Null where it has no id. */
  private static StageInfo stageInfo(JsonFields fields) throws IOException {
    StageInfo stage = new StageInfo();
    stage.id = -1;
    if (!fields.enter()) {
      return null;
    }
    while (fields.next()) {
      switch (fields.name()) {
        case "Stage ID":
          stage.id = fields.id();
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
        case "Resource Profile Id":
          stage.profileId = (int) fields.number();
          break;
        case "Failure Reason":
          stage.failureReason = fields.text();
          break;
        case "Accumulables":
          stage.sqlMetrics = AccumulablesJson.sqlMetrics(fields);
          break;
        default:
          fields.skip();
      }
    }
    return stage.id < 0 ? null : stage;
  }

  private String jobStart(JsonFields fields) throws IOException {
    int jobId = -1;
    long time = 0;
    List<StageInfo> stages = new ArrayList<>();
    List<String> stageIds = new ArrayList<>();
    Map<String, String> properties = new HashMap<>();
    while (fields.next()) {
      switch (fields.name()) {
        case "Job ID":
          jobId = fields.id();
          break;
        case "Submission Time":
          time = fields.number();
          break;
        case "Stage Infos":
          for (boolean more = fields.enterArray(); more && fields.nextElement(); ) {
            StageInfo stage = stageInfo(fields);
            if (stage != null) {
              stages.add(stage);
            }
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
    if (jobId < 0) {
      return "without its job";
    }
    time(time);
    startUntimedJob(lastTime);
    untimedJob = new JobStart(jobId, time, stages, new JobProperties(properties));
    if (time > 0) {
      startUntimedJob(time);
    }
    return null;
  }

  /** Spark before 1.2 told only the ids. */
  private static List<StageInfo> stagesWithoutInfo(List<String> ids) {
    List<StageInfo> stages = new ArrayList<>();
    for (String id : ids) {
      if (STAGE_ID.matcher(id).matches()) {
        StageInfo stage = new StageInfo();
        stage.id = Integer.parseInt(id);
        stages.add(stage);
      }
    }
    return stages;
  }

  private String jobEnd(JsonFields fields) throws IOException {
    int jobId = -1;
    long time = 0;
    boolean succeeded = false;
    String message = null;
    while (fields.next()) {
      switch (fields.name()) {
        case "Job ID":
          jobId = fields.id();
          break;
        case "Completion Time":
          time = fields.number();
          break;
        case "Job Result":
          if (fields.enter()) {
            while (fields.next()) {
              if (fields.is("Result")) {
                succeeded = "JobSucceeded".equals(fields.text());
              } else if (fields.is("Exception")) {
                message = fields.enter() ? message(fields) : null;
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
    if (jobId < 0) {
      return "without its job";
    }
    long ended = timeOrLast(time);
    startUntimedJob(ended);
    model.jobEnd(new JobEnd(jobId, ended, succeeded, message));
    return null;
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

  private String executorAdded(ExecutorAdded event) {
    if (event.executorId == null) {
      return "without its executor";
    }
    time(event.time);
    model.executorAdded(event);
    return null;
  }

  private String profile(ResourceProfile profile) {
    if (profile.id < 0) {
      return "without its id";
    }
    model.resourceProfile(profile);
    return null;
  }

  private String executorRemoved(JsonFields fields) throws IOException {
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
    if (id == null) {
      return "without its executor";
    }
    time(time);
    model.executorRemoved(time, id);
    return null;
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
    model.applicationStart(
        new ApplicationStart(id == null ? unnamedId : id, attempt, name, user, timeOrLast(time)));
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
    model.applicationEnd(timeOrLast(time), exitCode);
  }
}
