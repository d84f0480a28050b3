package io.sparkotel.agent.telemetry;

import static io.sparkotel.agent.telemetry.Attribute.Cardinality.HIGH;
import static io.sparkotel.agent.telemetry.Attribute.Cardinality.LOW;
import static io.sparkotel.agent.telemetry.Entity.APPLICATION;
import static io.sparkotel.agent.telemetry.Entity.BATCH;
import static io.sparkotel.agent.telemetry.Entity.GROUP;
import static io.sparkotel.agent.telemetry.Entity.JOB;
import static io.sparkotel.agent.telemetry.Entity.QUERY;
import static io.sparkotel.agent.telemetry.Entity.SQL;
import static io.sparkotel.agent.telemetry.Entity.STAGE;
import static io.sparkotel.agent.telemetry.Entity.TASK;

import io.opentelemetry.api.common.AttributeKey;
import io.sparkotel.agent.telemetry.Attribute.Cardinality;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The registry: every attribute of a span or span event that is ever exported. The reference in
 * {@code docs/telemetry.md} is generated from it.
 */
public final class Names {

  /** The prefix of the keys that carry a Spark setting, {@code spark.conf.<key>}. */
  public static final String CONF_PREFIX = "spark.conf.";

  /** The suffix of the boolean that says that a value was cut. */
  public static final String TRUNCATED_SUFFIX = "_truncated";

  /** The name of the event that carries a failure. */
  public static final String EXCEPTION_EVENT = "exception";

  /** The name of the event that says that an executor was lost. */
  public static final String EXECUTOR_REMOVED_EVENT = "spark.executor.removed";

  /** The name of the event that says that a finished task has to run again. */
  public static final String TASK_RESUBMITTED_EVENT = "spark.task.resubmitted";

  /** The name of the event that says which state an operation of a server came into. */
  public static final String GROUP_STATE_EVENT = "spark.group.state";

  private static final Map<String, Attribute> ALL = new LinkedHashMap<>();
  private static final EnumSet<Entity> EVERY = EnumSet.allOf(Entity.class);
  private static final EnumSet<Entity> ABOVE_JOB =
      EnumSet.of(APPLICATION, QUERY, BATCH, GROUP, SQL);
  private static final EnumSet<Entity> ABOVE_STAGE =
      EnumSet.of(APPLICATION, QUERY, BATCH, GROUP, SQL, JOB);
  private static final EnumSet<Entity> ABOVE_TASK =
      EnumSet.of(APPLICATION, QUERY, BATCH, GROUP, SQL, JOB, STAGE);

  /** All that runs. */
  private static final EnumSet<Entity> ALL_RUNNING =
      EnumSet.of(APPLICATION, QUERY, BATCH, GROUP, SQL, JOB, STAGE, TASK);

  public static final Attribute ENTITY =
      string(
          "spark.entity",
          LOW,
          EVERY,
          "What the span stands for: application, started, continued, query, batch, group, sql, job,"
              + " stage or task");
  public static final Attribute INCOMPLETE =
      bool(
          "spark.incomplete",
          ALL_RUNNING,
          "True where the end was not seen: closed at the last event time");

  // The application, and the marker of its start.
  public static final Attribute SCALA_VERSION =
      string("spark.scala.version", LOW, EnumSet.of(APPLICATION), "Scala version of the driver");
  public static final Attribute MASTER =
      string("spark.master", LOW, EnumSet.of(APPLICATION), "Spark's master URL");
  public static final Attribute DEPLOY_MODE =
      string("spark.deploy_mode", LOW, EnumSet.of(APPLICATION), "client or cluster");
  public static final Attribute UI_URL =
      string(
          "spark.ui.url",
          HIGH,
          EnumSet.of(APPLICATION, Entity.STARTED),
          "Address of the application's own web UI, gone when it ends");
  public static final Attribute HISTORY_URL =
      string(
          "spark.history.url",
          HIGH,
          EnumSet.of(APPLICATION, Entity.STARTED, SQL, JOB, STAGE),
          "Page of the history server, from otel.spark.history-url; of SQL executions, jobs and"
              + " stages that failed");
  public static final Attribute EXIT_CODE =
      integer(
          "spark.exit_code",
          "",
          LOW,
          EnumSet.of(APPLICATION),
          "Exit code of the program where it is known");
  public static final Attribute PROCESS_PID =
      integer(
          "process.pid",
          "",
          HIGH,
          EnumSet.of(APPLICATION, Entity.STARTED),
          "Process id of the driver; live only");
  public static final Attribute PROCESS_RUNTIME_NAME =
      string(
          "process.runtime.name",
          LOW,
          EnumSet.of(APPLICATION, Entity.STARTED),
          "Name of the driver's Java runtime; live only");
  public static final Attribute PROCESS_RUNTIME_VERSION =
      string(
          "process.runtime.version",
          LOW,
          EnumSet.of(APPLICATION, Entity.STARTED),
          "Version of the driver's Java runtime; live only");
  public static final Attribute OS_TYPE =
      string(
          "os.type",
          LOW,
          EnumSet.of(APPLICATION, Entity.STARTED),
          "Operating system of the driver; live only");
  public static final Attribute EXECUTORS_MAX =
      integer(
          "spark.executors.max",
          "1",
          LOW,
          EnumSet.of(APPLICATION),
          "Most executors at one time; absent of more than 20,000, as are their cost and use");
  public static final Attribute EXECUTORS_REMOVED =
      integer(
          "spark.executors.removed",
          "1",
          LOW,
          EnumSet.of(APPLICATION),
          "Executors that were removed");
  public static final Attribute TRACE_UNITS =
      count(
          "spark.trace.units",
          EnumSet.of(APPLICATION),
          "Traces of its own that what ran in the application has, by otel.spark.trace.unit and"
              + " otel.spark.trace.max-jobs; links lead to the first 16; absent where there are none");
  public static final Attribute TRACE_PART =
      integer(
          "spark.trace.part",
          "",
          HIGH,
          EnumSet.of(Entity.CONTINUED),
          "Which trace of the application it is: 1 follows the first one");
  public static final Attribute TRACE_PART_OF =
      string(
          "spark.trace.part.of",
          LOW,
          EnumSet.of(Entity.CONTINUED),
          "What is counted: job, or sql in the traces of SQL executions without a job");

  // What was asked of an application that many share.
  public static final Attribute GROUP_KIND =
      string(
          "spark.group.kind",
          LOW,
          EnumSet.of(GROUP),
          "What says which actions belong together: thrift and connect, an operation of that server;"
              + " job group; tags");
  public static final Attribute GROUP_ID =
      string(
          "spark.group.id",
          HIGH,
          EnumSet.of(GROUP),
          "Id of the operation, the job group or the tags");
  public static final Attribute GROUP_DESCRIPTION =
      string(
          "spark.group.description",
          HIGH,
          EnumSet.of(GROUP),
          "Description of its first job, where it is a job group or tags; literals are masked");
  public static final Attribute GROUP_USER =
      string("spark.group.user", HIGH, EnumSet.of(GROUP), "Who asked the server for it");
  public static final Attribute GROUP_SESSION =
      string("spark.group.session.id", HIGH, EnumSet.of(GROUP), "The session at the server");
  public static final Attribute GROUP_STATEMENT =
      string(
          "spark.group.statement",
          HIGH,
          EnumSet.of(GROUP),
          "SQL that the server was given, or the plan or command in Spark Connect's text form;"
              + " literals are masked");
  public static final Attribute GROUP_TAGS =
      strings("spark.group.tags", HIGH, EnumSet.of(GROUP), "Tags that a client of Connect set");
  public static final Attribute GROUP_STATE =
      string(
          "spark.group.state",
          LOW,
          EnumSet.of(GROUP),
          "How the operation ended: finished, failed, canceled, timed out, closed (before its end) or"
              + " running; on events the state that begins, also analyzed and ready");
  public static final Attribute GROUP_ROWS =
      count("spark.group.rows", EnumSet.of(GROUP), "Rows of the result, Spark Connect only");
  public static final Attribute GROUP_FETCH_TIME =
      integer(
          "spark.group.fetch_time_ms",
          "ms",
          HIGH,
          EnumSet.of(GROUP),
          "From the operation's end until the client closed it, no part of the span");
  public static final Attribute GROUP_ACTIONS =
      count(
          "spark.group.actions",
          EnumSet.of(GROUP),
          "SQL executions that are in no other one, and jobs outside SQL");
  public static final Attribute GROUPS_CLOSED_EARLY =
      count(
          "spark.otel.groups.closed_early",
          EnumSet.of(APPLICATION),
          "Operations that clients left open and of which there were more than 1,000: the oldest"
              + " were taken as ended; absent where there are none");

  // SQL executions.
  public static final Attribute SQL_EXECUTION_ID =
      integer(
          "spark.sql.execution.id",
          "",
          HIGH,
          EnumSet.of(SQL, JOB, STAGE),
          "Spark's id of the SQL execution");
  public static final Attribute SQL_ROOT_ID =
      integer(
          "spark.sql.execution.root_id",
          "",
          HIGH,
          EnumSet.of(SQL),
          "Id of the outermost SQL execution");
  public static final Attribute SQL_DESCRIPTION =
      string(
          "spark.sql.description",
          HIGH,
          EnumSet.of(SQL),
          "Description as in Spark's UI: call site, SQL text or what the user set; literals are"
              + " masked");
  public static final Attribute SQL_NESTED =
      bool("spark.sql.nested", EnumSet.of(SQL), "True on an execution inside another one");
  public static final Attribute SQL_PLAN =
      string(
          "spark.sql.plan",
          HIGH,
          EnumSet.of(SQL),
          "Physical plan after the last adaptive update, one line a node, each with what was"
              + " measured for it in braces: totals as Spark's UI shows them, of all attempts; goes"
              + " on in spark.sql.plan_2 and so on");
  public static final Attribute SQL_PLAN_HASH =
      string(
          "spark.sql.plan_hash",
          LOW,
          EnumSet.of(SQL),
          "The same for plans that differ in ids, literals, numbers and digits of paths alone");
  public static final Attribute SQL_INPUTS =
      strings(
          "spark.sql.inputs",
          LOW,
          EnumSet.of(SQL),
          "Tables and paths that the plan reads, each behind its format");
  public static final Attribute SQL_OUTPUT_TABLE =
      string("spark.sql.output.table", LOW, EnumSet.of(SQL), "Table that is written");
  public static final Attribute SQL_OUTPUT_PATH =
      string("spark.sql.output.path", HIGH, EnumSet.of(SQL), "Path that is written");
  public static final Attribute SQL_OUTPUT_FORMAT =
      string("spark.sql.output.format", LOW, EnumSet.of(SQL), "Its format, such as parquet");
  public static final Attribute SQL_OUTPUT_MODE =
      string(
          "spark.sql.output.mode",
          LOW,
          EnumSet.of(SQL),
          "append, overwrite, errorifexists, ignore, create, replace, merge, update, delete;"
              + " rewrite where a data source does one of the last three");
  public static final Attribute SQL_OUTPUT_PARTITION_COLUMNS =
      strings(
          "spark.sql.output.partition_columns",
          LOW,
          EnumSet.of(SQL),
          "Columns by which what is written is partitioned");
  public static final Attribute SQL_OUTPUT_ROWS =
      count(
          "spark.sql.output.rows",
          EnumSet.of(SQL),
          "Rows that were written, those that a merge, update or delete copies included. The"
              + " writing node tells them; for Delta Lake the write that is nested in the command,"
              + " for Iceberg its commit or its tasks. Absent where that is not certain");
  public static final Attribute SQL_OUTPUT_BYTES =
      integer(
          "spark.sql.output.bytes",
          "By",
          HIGH,
          EnumSet.of(SQL),
          "Bytes of the files that were written, told as the rows are; with files of deletes"
              + " where Iceberg's commit told");
  public static final Attribute SQL_OUTPUT_FILES =
      count(
          "spark.sql.output.files",
          EnumSet.of(SQL),
          "Files that were written, told as the rows are, but by no tasks; with files of deletes"
              + " where Iceberg's commit told");
  public static final Attribute SQL_OUTPUT_PARTITIONS =
      count(
          "spark.sql.output.partitions",
          EnumSet.of(SQL),
          "Partitions that were found while writing, those named in the statement not counted;"
              + " of Delta Lake only where there are any, of Iceberg never");
  public static final Attribute SQL_METRICS_LEFT_OUT =
      integer(
          "spark.sql.plan.metrics_left_out",
          "1",
          HIGH,
          EnumSet.of(SQL),
          "Values of the plan's metrics for which there was no room: more than 10,000");
  public static final Attribute SQL_AQE_UPDATES =
      integer(
          "spark.sql.aqe.updates",
          "1",
          LOW,
          EnumSet.of(SQL),
          "How often adaptive execution told a new plan");
  public static final Attribute SQL_AQE_CHANGES =
      strings(
          "spark.sql.aqe.changes",
          LOW,
          EnumSet.of(SQL),
          "What adaptive execution changed of the first plan's joins and partitions, in words");

  // Jobs.
  public static final Attribute JOB_ID =
      integer(
          "spark.job.id",
          "",
          HIGH,
          EnumSet.of(JOB, STAGE, TASK),
          "Spark's id of the job; of a stage that several jobs share, the lowest");
  public static final Attribute JOB_GROUP =
      string("spark.job.group", HIGH, EnumSet.of(JOB), "Job group set by the user");
  public static final Attribute JOB_DESCRIPTION =
      string("spark.job.description", HIGH, EnumSet.of(JOB), "Description set by the user");
  public static final Attribute JOB_TAGS =
      strings("spark.job.tags", HIGH, EnumSet.of(JOB), "Tags set by the user, Spark 3.5 and later");
  public static final Attribute JOB_CALL_SITE =
      string("spark.job.call_site", LOW, EnumSet.of(JOB), "Call site as Spark recorded it");
  public static final Attribute JOB_OUTPUT_OPERATION =
      string(
          "spark.job.output.operation",
          LOW,
          EnumSet.of(JOB),
          "Method that writes an RDD, such as saveAsHadoopFile; bytes and records are"
              + " spark.output.*");
  public static final Attribute JOB_RESULT =
      string("spark.job.result", LOW, EnumSet.of(JOB), "succeeded, failed or cancelled");
  public static final Attribute SCHEDULER_POOL =
      string("spark.scheduler.pool", LOW, EnumSet.of(JOB), "Pool of the fair scheduler");

  // Stages.
  public static final Attribute STAGE_ID =
      integer("spark.stage.id", "", HIGH, EnumSet.of(STAGE, TASK), "Spark's id of the stage");
  public static final Attribute STAGE_ATTEMPT =
      integer(
          "spark.stage.attempt", "", LOW, EnumSet.of(STAGE, TASK), "Attempt of the stage, from 0");
  public static final Attribute STAGE_NAME =
      string("spark.stage.name", LOW, EnumSet.of(STAGE), "Name as Spark recorded it");
  public static final Attribute STAGE_CALL_SITE =
      string(
          "spark.stage.call_site",
          HIGH,
          EnumSet.of(STAGE),
          "Long call site: the stack of the user's call");
  public static final Attribute STAGE_PARENT_IDS =
      strings(
          "spark.stage.parent_ids",
          HIGH,
          EnumSet.of(STAGE),
          "Ids of the stages that this one reads from");
  public static final Attribute STAGE_OPERATORS =
      strings(
          "spark.stage.operators",
          LOW,
          EnumSet.of(STAGE),
          "Nodes of the SQL plan that ran in the stage, each name once, in the order of the plan:"
              + " those of which it told a metric");
  public static final Attribute STAGE_FAILURE_REASON =
      string("spark.stage.failure_reason", HIGH, EnumSet.of(STAGE), "Why the stage failed");
  public static final Attribute STAGE_RETRY_REASON =
      string(
          "spark.stage.retry_reason",
          HIGH,
          EnumSet.of(STAGE),
          "Why the attempt before this one failed");
  public static final Attribute STAGE_JOBS_LEFT_OUT =
      integer(
          "spark.stage.jobs_left_out",
          "1",
          HIGH,
          EnumSet.of(STAGE),
          "Jobs that waited for the stage, too, and have no link: more than 1,000");
  public static final Attribute STAGE_SKEW =
      decimal("spark.stage.skew", "1", EnumSet.of(STAGE), "Longest task over the median task");
  public static final Attribute STAGE_SLOWEST_INDEX =
      integer(
          "spark.stage.slowest_task.index",
          "",
          HIGH,
          EnumSet.of(STAGE),
          "Index of the longest successful task");
  public static final Attribute STAGE_SLOWEST_EXECUTOR =
      string(
          "spark.stage.slowest_task.executor",
          HIGH,
          EnumSet.of(STAGE),
          "Executor of the longest successful task");
  public static final Attribute STAGE_SLOWEST_HOST =
      string(
          "spark.stage.slowest_task.host",
          HIGH,
          EnumSet.of(STAGE),
          "Host of the longest successful task");
  public static final Attribute STAGE_SPREAD_APPROXIMATE =
      bool(
          "spark.stage.spread_approximate",
          EnumSet.of(STAGE),
          "True where the stage has so many tasks that quantiles come from a histogram");

  // Tasks.
  public static final Attribute TASK_ID =
      integer("spark.task.id", "", HIGH, EnumSet.of(TASK), "Spark's id of the task attempt");
  public static final Attribute TASK_INDEX =
      integer("spark.task.index", "", HIGH, EnumSet.of(TASK), "Index in its stage");
  public static final Attribute TASK_ATTEMPT =
      integer("spark.task.attempt", "", LOW, EnumSet.of(TASK), "Attempt, from 0");
  public static final Attribute TASK_PARTITION =
      integer(
          "spark.task.partition",
          "",
          HIGH,
          EnumSet.of(TASK),
          "Partition; before Spark 3.3 the index");
  public static final Attribute EXECUTOR_ID =
      string(
          "spark.executor.id",
          HIGH,
          EnumSet.of(TASK),
          "Executor that ran the task; on an event, the executor that it is about");
  public static final Attribute EXECUTOR_HOST =
      string("spark.executor.host", HIGH, EnumSet.of(TASK), "Host of the executor");
  public static final Attribute TASK_LOCALITY =
      string("spark.task.locality", LOW, EnumSet.of(TASK), "How near its data the task ran");
  public static final Attribute TASK_SPECULATIVE =
      bool("spark.task.speculative", EnumSet.of(TASK), "True on a speculative copy");
  public static final Attribute TASK_OUTCOME =
      string("spark.task.outcome", LOW, EnumSet.of(TASK), "Spark's end reason");
  public static final Attribute TASK_KILL_REASON =
      string("spark.task.kill_reason", LOW, EnumSet.of(TASK), "Why Spark killed the task");
  public static final Attribute TASK_METRICS_MISSING =
      bool(
          "spark.task.metrics_missing",
          EnumSet.of(TASK),
          "True where Spark reported no metrics: their absence is not 0");
  public static final Attribute TASK_SCHEDULER_DELAY =
      integer(
          "spark.task.scheduler_delay_ms",
          "ms",
          HIGH,
          EnumSet.of(TASK),
          "As Spark's UI computes it, at least 0");
  public static final Attribute TASK_GETTING_RESULT_TIME =
      integer(
          "spark.task.getting_result_time_ms",
          "ms",
          HIGH,
          EnumSet.of(TASK),
          "Time the driver took to fetch the result");

  // Counts.
  public static final Attribute JOBS_TOTAL = count("spark.jobs.total", ABOVE_JOB, "Jobs");
  public static final Attribute JOBS_SUCCEEDED =
      count("spark.jobs.succeeded", ABOVE_JOB, "Jobs that succeeded");
  public static final Attribute JOBS_FAILED =
      count(
          "spark.jobs.failed",
          ABOVE_JOB,
          "Jobs that failed, cancelled ones included, as Spark counts");
  public static final Attribute STAGES_TOTAL =
      count("spark.stages.total", ABOVE_STAGE, "Stage attempts that ran");
  public static final Attribute STAGES_FAILED =
      count("spark.stages.failed", ABOVE_STAGE, "Stage attempts that failed");
  public static final Attribute STAGES_SKIPPED =
      count("spark.stages.skipped", ABOVE_STAGE, "Stages that did not have to run");
  public static final Attribute STAGES_RETRIED =
      count("spark.stages.retried", ABOVE_STAGE, "Stage attempts after the first");
  public static final Attribute TASKS_TOTAL = count("spark.tasks.total", ABOVE_TASK, "Task ends");
  public static final Attribute TASKS_SUCCEEDED =
      count("spark.tasks.succeeded", ABOVE_TASK, "Task attempts that succeeded");
  public static final Attribute TASKS_FAILED =
      count(
          "spark.tasks.failed",
          ABOVE_TASK,
          "Task attempts that failed, resubmitted ones included, as Spark counts");
  public static final Attribute TASKS_KILLED =
      count(
          "spark.tasks.killed",
          ABOVE_TASK,
          "Task attempts that were killed or denied their commit");
  public static final Attribute TASKS_SPECULATIVE =
      count("spark.tasks.speculative", ABOVE_TASK, "Speculative task attempts");
  public static final Attribute TASKS_NOT_EXPORTED =
      count(
          "spark.otel.tasks.not_exported",
          EnumSet.of(APPLICATION, STAGE),
          "Task ends without a span of their own: policy or budget");

  // Failures; the first three are on exception events.
  public static final Attribute ERROR_TYPE =
      string(
          "error.type",
          LOW,
          ALL_RUNNING,
          "Class of the error, of a Python failure the Python class; of a SQL execution of whose error"
              + " Spark tells no class, Spark's error class");
  public static final Attribute EXCEPTION_TYPE =
      string("exception.type", LOW, EnumSet.noneOf(Entity.class), "On events: class of the error");
  public static final Attribute EXCEPTION_MESSAGE =
      string("exception.message", HIGH, EnumSet.noneOf(Entity.class), "On events: its message");
  public static final Attribute EXCEPTION_STACKTRACE =
      string(
          "exception.stacktrace",
          HIGH,
          EnumSet.noneOf(Entity.class),
          "On events: its stack trace, of a Python failure the Python traceback");
  public static final Attribute ERROR_CLASS =
      string(
          "spark.error.class",
          LOW,
          ALL_RUNNING,
          "Spark's class of the error, such as DIVIDE_BY_ZERO: that of the innermost cause which"
              + " has one; Spark 3.4 and later");
  public static final Attribute ERROR_SQL_STATE =
      string(
          "spark.error.sql_state",
          LOW,
          ALL_RUNNING,
          "SQLSTATE of the error where its message tells one, Spark 4.0 and later");
  public static final Attribute FAILURE_ROOT_CAUSE =
      string(
          "spark.failure.root_cause",
          HIGH,
          ABOVE_STAGE,
          "First line of the deepest cause, and the frame of the user's own code where it has one");
  public static final Attribute EXECUTOR_LOG_URL =
      string(
          "spark.executor.log_url",
          HIGH,
          EnumSet.of(TASK),
          "Log of the executor as its cluster manager shows it: stderr; on failed tasks, and on"
              + " events of the executor that they are about");
  public static final Attribute EXECUTOR_STDOUT_URL =
      string(
          "spark.executor.stdout_url",
          HIGH,
          EnumSet.of(TASK),
          "Standard output of the executor; where spark.executor.log_url is");
  public static final Attribute EXECUTOR_POD =
      string(
          "spark.executor.pod",
          HIGH,
          EnumSet.of(TASK),
          "Pod of the executor on Kubernetes; where spark.executor.log_url is");
  public static final Attribute EXECUTOR_LOSS_CAUSE =
      string(
          "spark.executor.loss_cause",
          LOW,
          EnumSet.noneOf(Entity.class),
          "On events: why the executor was lost, one of the words in docs/failures.md");
  public static final Attribute EXECUTOR_REMOVED_REASON =
      string(
          "spark.executor.removed.reason",
          HIGH,
          EnumSet.noneOf(Entity.class),
          "On events: why the executor was lost");
  public static final Attribute EXECUTOR_EXIT_CODE =
      integer(
          "spark.executor.exit_code",
          "",
          LOW,
          EnumSet.noneOf(Entity.class),
          "On events: exit code of the lost executor where the reason tells it");

  public static final Attribute FINDINGS =
      strings(
          "spark.findings",
          HIGH,
          EnumSet.of(APPLICATION, SQL, STAGE),
          "What was found to be wrong, the worst first: at most ten sentences, and how many more"
              + " there are");

  // The agent on itself.
  public static final Attribute SPANS_EXPORTED =
      count(
          "spark.otel.spans.exported",
          EnumSet.of(APPLICATION),
          "Spans that the collector took, this one not counted");
  public static final Attribute SPANS_DROPPED =
      count(
          "spark.otel.spans.dropped",
          EnumSet.of(APPLICATION),
          "Spans that were lost: buffer full, refused or not delivered in time");
  public static final Attribute EVENTS_DROPPED =
      count(
          "spark.otel.events.dropped",
          EnumSet.of(APPLICATION),
          "Events that Spark's listener bus dropped before the agent saw them");
  public static final Attribute ERRORS =
      count(
          "spark.otel.errors",
          EnumSet.of(APPLICATION),
          "Failures inside the agent, caught and counted");
  public static final Attribute ANOMALIES =
      count(
          "spark.otel.anomalies",
          EnumSet.of(APPLICATION),
          "Events that did not fit what came before, such as an end without a start");
  public static final Attribute TRACEPARENTS_INVALID =
      count(
          "spark.otel.traceparents.invalid",
          EnumSet.of(APPLICATION),
          "Actions whose local property traceparent is none, so that they stay in this trace;"
              + " absent where there are none");

  public static final Attribute CLOSED_EARLY =
      count(
          "spark.otel.closed_early",
          EnumSet.of(APPLICATION),
          "Executions, jobs, stages and tasks that were shown as incomplete before the end because"
              + " too many were open at a time; absent where there are none");

  private static final Map<TaskMetric, Attribute> METRICS = new EnumMap<>(TaskMetric.class);

  static {
    EnumSet<Entity> withMetrics = ALL_RUNNING;
    for (TaskMetric metric : TaskMetric.values()) {
      String doc =
          (metric.isMaximum() ? "Maximum" : "Sum") + " over task attempts of " + metric.source();
      METRICS.put(
          metric,
          metric.unit() == TaskMetric.Unit.NANOS
              ? decimal(metric.key(), metric.unit().symbol(), withMetrics, doc)
              : integer(metric.key(), metric.unit().symbol(), HIGH, withMetrics, doc));
    }
    for (FindingCode code : FindingCode.values()) {
      code.declare();
    }
    for (Spread spread : Spread.values()) {
      spread.declare();
    }
    for (ExecutorMetric metric : ExecutorMetric.values()) {
      metric.declare();
    }
    for (CostMetric metric : CostMetric.values()) {
      metric.declare();
    }
    for (PythonMetric metric : PythonMetric.values()) {
      metric.declare();
    }
    StreamNames.declare();
  }

  private Names() {}

  /** Every attribute, in the order of the reference. */
  public static Collection<Attribute> all() {
    return Collections.unmodifiableCollection(ALL.values());
  }

  /** The attribute of that key, or null. */
  public static Attribute find(String key) {
    return ALL.get(key);
  }

  public static Attribute metric(TaskMetric metric) {
    return METRICS.get(metric);
  }

  static Attribute string(String key, Cardinality cardinality, EnumSet<Entity> on, String doc) {
    return declare(AttributeKey.stringKey(key), "", cardinality, on, doc);
  }

  static Attribute strings(String key, Cardinality cardinality, EnumSet<Entity> on, String doc) {
    return declare(AttributeKey.stringArrayKey(key), "", cardinality, on, doc);
  }

  static Attribute bool(String key, EnumSet<Entity> on, String doc) {
    return declare(AttributeKey.booleanKey(key), "", LOW, on, doc);
  }

  static Attribute integer(
      String key, String unit, Cardinality cardinality, EnumSet<Entity> on, String doc) {
    return declare(AttributeKey.longKey(key), unit, cardinality, on, doc);
  }

  static Attribute decimal(String key, String unit, EnumSet<Entity> on, String doc) {
    return declare(AttributeKey.doubleKey(key), unit, HIGH, on, doc);
  }

  private static Attribute count(String key, EnumSet<Entity> on, String doc) {
    return integer(key, "1", HIGH, on, doc);
  }

  private static Attribute declare(
      AttributeKey<?> key, String unit, Cardinality cardinality, EnumSet<Entity> on, String doc) {
    Attribute attribute = new Attribute(key, unit, cardinality, on, doc);
    if (ALL.put(key.getKey(), attribute) != null) {
      throw new IllegalStateException("declared twice: " + key.getKey());
    }
    return attribute;
  }
}
