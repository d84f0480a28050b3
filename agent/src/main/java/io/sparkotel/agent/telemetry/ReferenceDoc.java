package io.sparkotel.agent.telemetry;

/** Writes the page {@code docs/telemetry.md} from {@link Names}. */
final class ReferenceDoc {

  private static final String INTRODUCTION =
      "# Spans and attributes\n"
          + "\n"
          + "<!-- Generated from Names.java by ReferenceDoc.java; edit those. -->\n"
          + "\n"
          + "One trace an application, one a micro-batch of a streaming query or of DStreams, and one"
          + " of the runs of each\n"
          + "streaming query:\n"
          + "\n"
          + "```text\n"
          + "spark.application                     one per SparkContext; root, or child of a"
          + " caller's span\n"
          + "├─ spark.application.started          marker, sent at once: a running application is"
          + " visible\n"
          + "├─ sql <call site>                    one per SQL execution, with or without jobs\n"
          + "│  ├─ sql <call site>                 nested execution\n"
          + "│  └─ job <call site>\n"
          + "│     └─ stage <name>                 one per stage attempt\n"
          + "│        └─ task                      one per task attempt, chosen by"
          + " `otel.spark.tasks`\n"
          + "├─ job <call site>                    jobs outside SQL\n"
          + "└─ streaming query <name>             one per run of a streaming query\n"
          + "batch <query name>                    one per micro-batch, a trace of its own:"
          + " [streaming.md](streaming.md)\n"
          + "├─ sql <call site>\n"
          + "└─ job <call site>\n"
          + "streaming query <name> started        marker of a run, in the trace of all runs of that"
          + " query\n"
          + "```\n"
          + "\n"
          + "Times are Spark's own event times. The status is ERROR where Spark says failed; what was"
          + " killed on purpose\n"
          + "(a speculative copy, a cancelled job) is no error. Ids are hashes of Spark's ids: the same"
          + " run always has\n"
          + "the same ids. A stage that several jobs share is one span, under the lowest job id, with"
          + " links to the others.\n"
          + "\n"
          + "From the stage up, metrics are sums over all task attempts that reported metrics (peak"
          + " execution memory: the\n"
          + "maximum). On a task a group of metrics in which all is 0 is left out. What Spark did not"
          + " report is absent,\n"
          + "never 0.\n"
          + "\n"
          + "Jobs of higher ids than `otel.spark.trace.max-jobs` are in next traces, so many in each:"
          + " below a marker\n"
          + "`spark.application.continued`, which has a link to the application. So are SQL executions"
          + " without a job, counted\n"
          + "apart. With `otel.spark.trace.unit=sql` each SQL execution, and each job outside SQL, is"
          + " the root of a trace of its\n"
          + "own, linked likewise. The application has links to the first of all these traces.\n"
          + "\n"
          + "An action whose local property `traceparent` names a caller is in the caller's trace"
          + " with all its spans; its\n"
          + "topmost span has a link to the application. [context.md](context.md) says more.\n"
          + "\n"
          + "Events: `exception` with `exception.type`, `exception.message` and"
          + " `exception.stacktrace`;\n"
          + "`"
          + Names.EXECUTOR_REMOVED_EVENT
          + "` where an executor was lost; `"
          + Names.TASK_RESUBMITTED_EVENT
          + "` where a finished task\n"
          + "has to run again. A value that is cut has a boolean beside it whose key ends in `"
          + Names.TRUNCATED_SUFFIX
          + "`. Settings of\n"
          + "the application that `otel.spark.conf.allow-list` names are `"
          + Names.CONF_PREFIX
          + "<key>` on the application. A local property\n"
          + "`"
          + UserAttributes.PREFIX
          + "<key>` is `<key>` on the topmost span of its action and on its jobs and their"
          + " stages.\n"
          + "\n"
          + "The numbers equal those of Spark's REST API, and those of its history server for a"
          + " replay. The exceptions:\n"
          + "Spark's store adds peak execution memory up; it adds heartbeat metrics of tasks that"
          + " were lost later; it\n"
          + "ignores the end of a task whose start it missed. Of an event log it says 0 where the"
          + " log tells nothing, its\n"
          + "summary of durations counts tasks in that did not succeed, and it takes the driver of a"
          + " cluster for an executor\n"
          + "of every stage.\n"
          + "\n"
          + "Behind a node of `spark.sql.plan` stands in braces what was measured for it: totals as"
          + " on Spark's SQL page, with\n"
          + "its rounding, at most ten. Sizes and times of 0 are left out, and so are averages, for"
          + " which a total says nothing.\n"
          + "A count that is absent is 0 or unknown: tasks do not tell of zeros. Where a stage was"
          + " attempted again, Spark's page\n"
          + "counts the last attempt, the plan all of them. What another execution did to fill a"
          + " cache is not shown.\n"
          + "\n"
          + "What was found to be wrong is `spark.findings` in words and `spark.finding.<code>` for"
          + " queries; [findings.md](findings.md)\n"
          + "tells the codes, their thresholds and what to do.\n"
          + "\n"
          + "| Attribute | Type | Unit | On | Cardinality | Meaning |\n"
          + "|---|---|---|---|---|---|\n";

  private static final String RESOURCE =
      "\n"
          + "## Resource\n"
          + "\n"
          + "Of every span, and the same in a replay: `service.name`, `service.namespace` if set,"
          + " `service.instance.id`\n"
          + "(application id, attempt), `spark.app.id`, `spark.app.attempt.id`, `spark.app.name`,"
          + " `spark.user`,\n"
          + "`spark.version`, `host.name` (the driver's), `telemetry.*`, what"
          + " `otel.resource.attributes` adds, `<key>` for each\n"
          + "setting `"
          + UserAttributes.PREFIX
          + "<key>`, and what the platform tells of the run. Each of these is text,\n"
          + "and absent where nothing tells it. A name in capitals is a variable of the driver's"
          + " environment; a label is\n"
          + "`spark.kubernetes.driver.label.<label>`; of several the first that is set counts.\n"
          + "\n"
          + "| Attribute | Cardinality | Meaning | From |\n"
          + "|---|---|---|---|\n";

  private ReferenceDoc() {}

  /** The whole page in Markdown. */
  static String page() {
    StringBuilder out = new StringBuilder(INTRODUCTION);
    for (Attribute attribute : Names.all()) {
      out.append("| `").append(attribute.name()).append("` | ");
      out.append(attribute.key().getType().name().toLowerCase(java.util.Locale.ROOT)).append(" | ");
      out.append(attribute.unit()).append(" | ");
      out.append(spans(attribute)).append(" | ");
      out.append(attribute.cardinality().name().toLowerCase(java.util.Locale.ROOT)).append(" | ");
      out.append(attribute.doc()).append(" |\n");
    }
    out.append(RESOURCE);
    for (PlatformAttribute attribute : PlatformAttribute.values()) {
      out.append("| `").append(attribute.key()).append("` | ");
      out.append(attribute.cardinality().name().toLowerCase(java.util.Locale.ROOT)).append(" | ");
      out.append(attribute.doc()).append(" | ");
      out.append(attribute.sources()).append(" |\n");
    }
    return out.toString();
  }

  private static String spans(Attribute attribute) {
    if (attribute.on().isEmpty()) {
      return "events";
    }
    StringBuilder spans = new StringBuilder();
    for (Entity entity : attribute.on()) {
      spans.append(spans.length() == 0 ? "" : ", ").append(entity.label());
    }
    return spans.toString();
  }
}
