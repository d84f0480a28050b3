package io.sparkotel.agent.model;

import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.sparkotel.agent.config.AgentConfig;
import io.sparkotel.agent.config.ConfigSources;
import io.sparkotel.agent.event.ApplicationStart;
import io.sparkotel.agent.event.DStreamBatch;
import io.sparkotel.agent.event.EndReason;
import io.sparkotel.agent.event.Environment;
import io.sparkotel.agent.event.ExecutorAdded;
import io.sparkotel.agent.event.ExecutorLinks;
import io.sparkotel.agent.event.JobEnd;
import io.sparkotel.agent.event.JobProperties;
import io.sparkotel.agent.event.JobStart;
import io.sparkotel.agent.event.PlanMetric;
import io.sparkotel.agent.event.PlanNode;
import io.sparkotel.agent.event.ReceiverError;
import io.sparkotel.agent.event.ResourceProfile;
import io.sparkotel.agent.event.SqlEnd;
import io.sparkotel.agent.event.SqlStart;
import io.sparkotel.agent.event.StageInfo;
import io.sparkotel.agent.event.StreamEnd;
import io.sparkotel.agent.event.StreamProgress;
import io.sparkotel.agent.event.StreamStart;
import io.sparkotel.agent.event.TaskEnd;
import io.sparkotel.agent.event.TaskInfo;
import io.sparkotel.agent.event.TaskStart;
import io.sparkotel.agent.telemetry.AttributeList;
import io.sparkotel.agent.telemetry.FinishedSpan;
import io.sparkotel.agent.telemetry.TaskMetric;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * An application that exists only as events, with a clock that is set by hand. Every span that the
 * model makes of them is held against the registry of attributes at once.
 */
final class ModelFixture {

  static final long EPOCH = 1_700_000_000_000L;

  /** Spans of others that run actions of the application. */
  static final SpanContext CALLER = caller("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331");

  static final SpanContext OTHER_CALLER =
      caller("4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7");

  /** One event, the thread of Spark that posts it, and the events that it can only come after. */
  record Posted(String thread, Consumer<TraceModel> event, List<Integer> after) {}

  final List<FinishedSpan> spans = new ArrayList<>();
  final List<Posted> posted = new ArrayList<>();
  final AgentConfig config;
  final TraceModel model;

  /** Off where there are too many spans to look at each. */
  boolean checks = true;

  private final Map<String, List<Integer>> indexes = new HashMap<>();
  private final TreeMap<Long, List<Integer>> executorEvents = new TreeMap<>();

  /** What output operations of DStreams waited for, one after the other. */
  private final List<String> outputs = new ArrayList<>();

  private long now;
  private long nextTask;

  private ModelFixture(AgentConfig config) {
    this.config = config;
    model = newModel(spans::add);
  }

  private static SpanContext caller(String traceId, String spanId) {
    return SpanContext.createFromRemoteParent(
        traceId, spanId, TraceFlags.getSampled(), TraceState.getDefault());
  }

  /** Before its start. */
  static ModelFixture unborn(String... settings) {
    AgentConfig config =
        AgentConfig.load(
            new ConfigSources(
                Collections.emptyMap(),
                String.join(";", settings),
                Collections.emptyMap(),
                Collections.emptyMap(),
                null));
    if (!config.problems().isEmpty()) {
      throw new AssertionError(config.problems());
    }
    return new ModelFixture(config);
  }

  /** At 0 milliseconds of its own clock. */
  static ModelFixture app(String... settings) {
    return unborn(settings).start("app-1", Map.of("spark.master", "local[2]"));
  }

  TraceModel newModel(Consumer<FinishedSpan> sink) {
    return new TraceModel(
        config,
        AttributeList.builder().build(),
        span -> {
          if (checks) {
            Declared.check(span);
          }
          sink.accept(span);
        });
  }

  ModelFixture start(String id, Map<String, String> conf) {
    Environment environment = new Environment("3.5.9", "2.12.18", conf);
    ApplicationStart start = new ApplicationStart(id, null, "report", "ann", EPOCH + now);
    post("driver", to -> to.environment(environment));
    post("driver", to -> to.applicationStart(start));
    return this;
  }

  /** Sets the clock, in milliseconds after the application's start. */
  ModelFixture at(long millis) {
    now = millis;
    return this;
  }

  Sql sql(long id) {
    return new Sql(id);
  }

  Job job(int id, Stage... stages) {
    return new Job(id, stages);
  }

  Stage stage(int id, int tasks) {
    return new Stage(id, tasks);
  }

  /** Without a word of its cores. */
  void executorAdded(String id) {
    executorAdded(id, 0, ResourceProfile.DEFAULT_ID);
  }

  void executorAdded(String id, int cores) {
    executorAdded(id, cores, ResourceProfile.DEFAULT_ID);
  }

  void executorAdded(String id, int cores, int profile) {
    executorAdded(id, cores, profile, null);
  }

  void executorAdded(String id, int cores, int profile, ExecutorLinks links) {
    ExecutorAdded event = new ExecutorAdded();
    event.time = EPOCH + now;
    event.executorId = id;
    event.cores = cores;
    event.profileId = profile;
    event.links = links;
    remember("executor " + id);
    postOfExecutor(to -> to.executorAdded(event));
  }

  void resourceProfile(ResourceProfile profile) {
    post("driver", to -> to.resourceProfile(profile));
  }

  /** With logs at a worker of its own. */
  void executorAddedWithLogs(String id, int cores) {
    String log = "http://host-" + id + ":8081/logPage/?executorId=" + id + "&logType=";
    Map<String, String> logs = Map.of("stdout", log + "stdout", "stderr", log + "stderr");
    executorAdded(id, cores, ResourceProfile.DEFAULT_ID, ExecutorLinks.of(logs, Map.of()));
  }

  /** A heartbeat, or what a log tells at the end of a stage; -1 is the driver's own stage. */
  void executorPeaks(String id, int stageId, long[] values) {
    post("heartbeats", to -> to.executorPeaks(id, stageId, 0, values));
  }

  void executorRemoved(String id) {
    long time = EPOCH + now;
    postOfExecutor(to -> to.executorRemoved(time, id));
  }

  void end(Integer exitCode) {
    long time = EPOCH + now;
    post("driver", to -> to.applicationEnd(time, exitCode));
  }

  /** The application ends in order, and so does its program as far as is known. */
  SpanTree finish() {
    end(0);
    return close(Outcome.UNKNOWN);
  }

  /** Without an end of the application, as when it is killed. */
  SpanTree close(Outcome outcome) {
    close(model, spans, outcome);
    return tree();
  }

  static void close(TraceModel model, List<FinishedSpan> spans, Outcome outcome) {
    model.closeOpen();
    FinishedSpan application =
        model.application(outcome, new SelfReport(1, 2, 3, 4), Collections.emptyList());
    Declared.check(application);
    spans.add(application);
  }

  SpanTree tree() {
    return new SpanTree(spans, EPOCH);
  }

  /** Spark posts an event of an executor at its time: what has a later time comes after it. */
  private void postOfExecutor(Consumer<TraceModel> event) {
    post("cluster", event);
    executorEvents.computeIfAbsent(now, time -> new ArrayList<>()).add(posted.size() - 1);
  }

  Stream stream(String queryId, String runId) {
    return new Stream(queryId, runId);
  }

  /** The batch of DStreams that was due then. */
  DStream dstream(long due) {
    return new DStream(EPOCH + due);
  }

  /** Of DStreams; live alone. */
  void receiverError(String receiver, String message, String error) {
    ReceiverError event = new ReceiverError(EPOCH + now, receiver, message, error);
    post(DStream.LIVE, to -> to.receiverError(event));
  }

  private void post(String thread, Consumer<TraceModel> event, String... after) {
    List<Integer> before = new ArrayList<>(after.length);
    if (!thread.equals("cluster")) {
      executorEvents.headMap(now).values().forEach(before::addAll);
    }
    for (String key : after) {
      before.addAll(indexes.getOrDefault(key, List.of()));
    }
    posted.add(new Posted(thread, event, before));
    event.accept(model);
  }

  /** What was posted, so that many events do not fill the test's own memory. */
  void forget() {
    posted.clear();
    indexes.clear();
    executorEvents.clear();
    outputs.clear();
  }

  private void remember(String key) {
    indexes.computeIfAbsent(key, k -> new ArrayList<>()).add(posted.size());
  }

  /** All metrics 0 but those given, in pairs of metric and value. */
  static long[] metrics(Object... pairs) {
    long[] values = new long[TaskMetric.COUNT];
    for (int i = 0; i < pairs.length; i += 2) {
      values[((TaskMetric) pairs[i]).ordinal()] = ((Number) pairs[i + 1]).longValue();
    }
    return values;
  }

  /** As a Spark reports them that does not know those of 3.4 yet. */
  static long[] metricsBefore34(Object... pairs) {
    long[] values = metrics(pairs);
    Arrays.fill(
        values,
        TaskMetric.SHUFFLE_REMOTE_REQUESTS_TIME.ordinal(),
        TaskMetric.SHUFFLE_MERGED_REMOTE_REQUESTS_TIME.ordinal() + 1,
        TaskMetric.ABSENT);
    return values;
  }

  static PlanNode node(String name, String text, PlanNode... children) {
    return new PlanNode(name, text, List.of(children), List.of(), null);
  }

  /** A node with that text, and metrics of {@code name, id, type} each. */
  static PlanNode measured(String name, String text, Object[][] metrics, PlanNode... children) {
    List<PlanMetric> list = new ArrayList<>();
    for (Object[] metric : metrics) {
      list.add(
          new PlanMetric((String) metric[0], ((Number) metric[1]).longValue(), (String) metric[2]));
    }
    return new PlanNode(name, text, List.of(children), list, null);
  }

  static EndReason failure(String className, String message) {
    return new EndReason(
        EndReason.Kind.ExceptionFailure,
        className,
        message,
        className + ": " + message + "\n\tat com.acme.Report.count(Report.java:31)");
  }

  static EndReason reason(EndReason.Kind kind, String message) {
    return new EndReason(kind, null, message, null);
  }

  /** A run of a streaming query, whose thread does all that Spark's scheduler does not. */
  final class Stream {
    private final String queryId;
    private final String runId;
    private final String thread;

    private Stream(String queryId, String runId) {
      this.queryId = queryId;
      this.runId = runId;
      thread = "stream " + runId;
    }

    Stream start(String name) {
      StreamStart start = new StreamStart(queryId, runId, name, EPOCH + now);
      post(thread, to -> to.streamStart(start));
      return this;
    }

    /** An execution that runs for a batch, as Spark describes it. */
    Sql sql(long id, long batch) {
      Sql sql = new Sql(id).described(description(batch));
      sql.thread = thread;
      return sql;
    }

    /** An execution outside of batches. */
    Sql sql(long id) {
      Sql sql = new Sql(id).described(description("init"));
      sql.thread = thread;
      return sql;
    }

    /** A job outside of batches. */
    Job job(int id, Stage... stages) {
      return new Job(id, stages)
          .property("spark.job.description", description("init"))
          .property("spark.jobGroup.id", runId)
          .property("sql.streaming.queryId", queryId);
    }

    /** A job with all marks of a batch. */
    Job job(int id, long batch, Stage... stages) {
      return new Job(id, stages)
          .property("spark.job.description", description(batch))
          .property("spark.jobGroup.id", runId)
          .property("sql.streaming.queryId", queryId)
          .property("streaming.sql.batchId", Long.toString(batch));
    }

    private String description(Object batch) {
      return "orders\nid = " + queryId + "\nrunId = " + runId + "\nbatch = " + batch;
    }

    /** Of a trigger that began then and ends now, and what else it tells. */
    Stream progress(long batch, long began, Consumer<StreamProgress> more) {
      StreamProgress progress = new StreamProgress();
      progress.queryId = queryId;
      progress.runId = runId;
      progress.name = "orders";
      progress.time = EPOCH + began;
      progress.batchId = batch;
      progress.durations.put("triggerExecution", now - began);
      more.accept(progress);
      post(thread, to -> to.streamProgress(progress));
      return this;
    }

    Stream ran(long batch, long began) {
      return progress(batch, began, progress -> progress.durations.put("addBatch", 1L));
    }

    Stream end(String exception) {
      StreamEnd end = new StreamEnd(queryId, runId, exception);
      post(thread, to -> to.streamEnd(end));
      return this;
    }
  }

  /** A batch of DStreams. */
  final class DStream {
    /** The thread of what no event log has. */
    static final String LIVE = "dstreams";

    private final long time;
    private final DStreamBatch told = new DStreamBatch();

    private DStream(long time) {
      this.time = time;
    }

    /** An execution that an output operation runs. */
    Sql sql(long id, int output) {
      Sql sql = new Sql(id).described(description(output));
      sql.thread = "output";
      sql.after = outputs.toArray(new String[0]);
      outputs.add("end of sql " + id);
      return sql;
    }

    /** A job that an output operation runs. */
    Job job(int id, int output, Stage... stages) {
      Job job = new Job(id, stages);
      job.after = outputs.toArray(new String[0]);
      outputs.add("start of job " + id);
      outputs.add("success of job " + id);
      return job.property("spark.job.description", description(output))
          .property("spark.streaming.internal.batchTime", Long.toString(time))
          .property("spark.streaming.internal.outputOpId", Integer.toString(output));
    }

    private String description(int output) {
      return "Streaming job from <a href=\"/streaming/batch/?id="
          + time
          + "\">[output operation "
          + output
          + ", batch time 22:13:20]</a>";
    }

    DStream input(int streamId, long records, String description) {
      told.add(new DStreamBatch.Input(streamId, records, description));
      told.records = Math.max(0, told.records) + records;
      return this;
    }

    /** What Spark tells of an output operation; null where it succeeded. */
    DStream output(int id, long duration, String failure) {
      String name = "foreachRDD at Report.java:" + (40 + id);
      told.add(new DStreamBatch.Output(id, name, duration, failure));
      return this;
    }

    /** That it was submitted when it was due, was begun then and is over now; live alone. */
    DStream complete(long began) {
      told.time = time;
      told.start = EPOCH + began;
      told.end = EPOCH + now;
      told.schedulingDelay = told.start - time;
      told.processingDelay = told.end - told.start;
      told.totalDelay = told.end - time;
      post(LIVE, to -> to.dstreamBatch(told), outputs.toArray(new String[0]));
      return this;
    }
  }

  /** A SQL execution. */
  final class Sql {
    private final long id;
    private final SqlStart start = new SqlStart();
    private String thread;
    private String[] after = {};

    private Sql(long id) {
      this.id = id;
      thread = "sql " + id;
      start.executionId = id;
      start.rootExecutionId = id;
      start.description = "count at Report.java:31";
      start.plan = node("Project", "Project [a]");
    }

    Sql under(long root) {
      start.rootExecutionId = root;
      thread = "sql " + root;
      return this;
    }

    /** As before Spark 3.4. */
    Sql withoutRoot() {
      start.rootExecutionId = null;
      return this;
    }

    Sql described(String description) {
      start.description = description;
      return this;
    }

    Sql planned(PlanNode plan) {
      start.plan = plan;
      return this;
    }

    /** As from Spark 4.1 on. */
    Sql inGroup(String group) {
      start.tellsJobGroup = true;
      start.jobGroup = group;
      return this;
    }

    Sql tagged(String tags) {
      start.jobTags = tags;
      return this;
    }

    Sql calledWith(String arguments) {
      start.commandArguments = arguments;
      return this;
    }

    Sql start() {
      start.time = EPOCH + now;
      remember("start of sql " + id);
      post(thread, to -> to.sqlStart(start), after);
      return this;
    }

    Sql replan(PlanNode plan) {
      post(thread, to -> to.sqlPlan(id, plan));
      return this;
    }

    Sql succeed() {
      return end("");
    }

    /** Pairs of an accumulator's id and a value. */
    Sql driverMetrics(long... pairs) {
      post(thread, to -> to.sqlDriverMetrics(id, pairs));
      return this;
    }

    /** Null as before Spark 3.4. */
    Sql end(String errorMessage) {
      SqlEnd end = new SqlEnd(id, EPOCH + now, errorMessage);
      remember("end of sql " + id);
      post(thread, to -> to.sqlEnd(end), "job of sql " + id);
      return this;
    }
  }

  /** A job. */
  final class Job {
    private final int id;
    private final List<Stage> stages;
    private final Map<String, String> properties = new HashMap<>();
    private String thread = "dag";
    private String[] after = {};

    private Job(int id, Stage... stages) {
      this.id = id;
      this.stages = List.of(stages);
    }

    Job property(String key, String value) {
      properties.put(key, value);
      return this;
    }

    Job sql(long executionId) {
      return property("spark.sql.execution.id", Long.toString(executionId));
    }

    /** For that span. */
    Job calledBy(SpanContext caller) {
      return property(
          "traceparent", "00-" + caller.getTraceId() + "-" + caller.getSpanId() + "-01");
    }

    /** One without partitions, which a thread of the user's posts. */
    Job onThreadOf(String name) {
      thread = name;
      return this;
    }

    Job start() {
      List<StageInfo> infos = new ArrayList<>();
      for (Stage stage : stages) {
        infos.add(stage.info(false));
      }
      JobStart start = new JobStart(id, EPOCH + now, infos, new JobProperties(properties));
      String sqlId = properties.get("spark.sql.execution.id");
      remember("job of sql " + sqlId);
      remember("start of job " + id);
      String[] before = Arrays.copyOf(after, after.length + 1);
      before[after.length] = "start of sql " + sqlId;
      post(thread, to -> to.jobStart(start), before);
      return this;
    }

    Job succeed() {
      JobEnd end = new JobEnd(id, EPOCH + now, true, null);
      remember("success of job " + id);
      post(thread, to -> to.jobEnd(end));
      return this;
    }

    Job fail(String message) {
      JobEnd end = new JobEnd(id, EPOCH + now, false, message);
      post("dag", to -> to.jobEnd(end));
      return this;
    }
  }

  /** One attempt of a stage. */
  final class Stage {
    private final int id;
    private final int tasks;
    private int attempt;
    private String name = "count at Report.java:31";
    private String details = "com.acme.Report.count(Report.java:31)";
    private List<String> parents = List.of();
    private Long submission;
    private Long completion;
    private String failure;
    private long[] sqlMetrics;
    private int profile;

    private Stage(int id, int tasks) {
      this.id = id;
      this.tasks = tasks;
    }

    Stage named(String name, String details) {
      this.name = name;
      this.details = details;
      return this;
    }

    Stage reading(int... ids) {
      parents = Arrays.stream(ids).mapToObj(Integer::toString).toList();
      return this;
    }

    Stage profile(int id) {
      profile = id;
      return this;
    }

    /** The next attempt of the same stage. */
    Stage again() {
      Stage next = new Stage(id, tasks).named(name, details);
      next.parents = parents;
      next.attempt = attempt + 1;
      return next;
    }

    private StageInfo info(boolean posted) {
      StageInfo info = new StageInfo();
      info.id = id;
      info.attempt = attempt;
      info.name = name;
      info.details = details;
      info.tasks = tasks;
      if (posted) {
        info.parentIds = parents;
        info.profileId = profile;
        info.submissionTime = submission;
        info.completionTime = completion;
        info.failureReason = failure;
        info.sqlMetrics = completion == null ? null : sqlMetrics;
      }
      return info;
    }

    Stage submit() {
      submission = EPOCH + now;
      StageInfo info = info(true);
      post("dag", to -> to.stageSubmitted(info));
      return this;
    }

    /** Pairs of an accumulator's id and its total. */
    Stage sqlMetrics(long... pairs) {
      sqlMetrics = pairs;
      return this;
    }

    Stage complete() {
      completion = EPOCH + now;
      StageInfo info = info(true);
      post("dag", to -> to.stageCompleted(info));
      return this;
    }

    Stage fail(String reason) {
      failure = reason;
      return complete();
    }

    Task task(int index) {
      return new Task(this, index);
    }

    /** All of its tasks, one after the other, with these metrics each; the clock moves on. */
    Stage run(long millisEach, Object... metrics) {
      for (int i = 0; i < tasks; i++) {
        Task task = task(i).launch();
        now += millisEach;
        task.metrics(metrics).succeed();
      }
      return this;
    }
  }

  /** One attempt of a task. */
  final class Task {
    private final Stage stage;
    private final int index;
    private long id = -1;
    private int attempt;
    private String executor = "1";
    private boolean speculative;
    private long launch;
    private long gettingResult;
    private long[] metrics = ModelFixture.metrics();
    private long[] executorMetrics;

    private Task(Stage stage, int index) {
      this.stage = stage;
      this.index = index;
    }

    Task on(String executor) {
      this.executor = executor;
      return this;
    }

    Task attempt(int attempt) {
      this.attempt = attempt;
      return this;
    }

    Task speculative() {
      speculative = true;
      return this;
    }

    Task metrics(Object... pairs) {
      metrics = ModelFixture.metrics(pairs);
      return this;
    }

    Task rawMetrics(long[] values) {
      metrics = values;
      return this;
    }

    Task executorMetrics(long[] values) {
      executorMetrics = values;
      return this;
    }

    Task gettingResult(long at) {
      gettingResult = EPOCH + at;
      return this;
    }

    long id() {
      return id;
    }

    /** Takes the next id, and the launch time, without an event. */
    Task unseen() {
      id = nextTask++;
      launch = EPOCH + now;
      return this;
    }

    Task launch() {
      return unseen().start();
    }

    /** The event alone, with the id that it has. */
    Task start() {
      TaskStart start = new TaskStart();
      start.stageId = stage.id;
      start.stageAttempt = stage.attempt;
      start.task = info(0);
      post("dag", to -> to.taskStart(start), "executor " + executor);
      return this;
    }

    Task succeed() {
      return end(EndReason.SUCCESS);
    }

    Task end(EndReason reason) {
      return endAt(EPOCH + now, reason);
    }

    /** With a time as Spark tells it, epoch milliseconds or 0. */
    Task endAt(long finish, EndReason reason) {
      TaskEnd end = new TaskEnd();
      end.stageId = stage.id;
      end.stageAttempt = stage.attempt;
      end.task = info(finish);
      end.task.gettingResultTime = gettingResult;
      end.reason = reason;
      end.metrics = metrics;
      end.executorMetrics = executorMetrics;
      post("dag", to -> to.taskEnd(end));
      return this;
    }

    private TaskInfo info(long finish) {
      TaskInfo info = new TaskInfo();
      info.id = id;
      info.index = index;
      info.attempt = attempt;
      info.partition = index;
      info.launchTime = launch;
      info.finishTime = finish;
      info.executorId = executor;
      info.host = "host-" + executor;
      info.locality = "PROCESS_LOCAL";
      info.speculative = speculative;
      return info;
    }
  }
}
