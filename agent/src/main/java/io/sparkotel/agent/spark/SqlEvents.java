package io.sparkotel.agent.spark;

import io.sparkotel.agent.event.AccumulatorValues;
import io.sparkotel.agent.event.CommandArguments;
import io.sparkotel.agent.event.JobProperties;
import io.sparkotel.agent.event.PlanBudget;
import io.sparkotel.agent.event.PlanMetric;
import io.sparkotel.agent.event.PlanNode;
import io.sparkotel.agent.event.SqlEnd;
import io.sparkotel.agent.event.SqlStart;
import io.sparkotel.agent.model.TraceModel;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.execution.SparkPlanInfo;
import org.apache.spark.sql.execution.metric.SQLMetricInfo;
import org.apache.spark.sql.execution.ui.SparkListenerDriverAccumUpdates;
import org.apache.spark.sql.execution.ui.SparkListenerSQLAdaptiveExecutionUpdate;
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd;
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart;
import scala.Tuple2;

/** Reads the events of Spark's SQL module. */
final class SqlEvents {

  private static final MethodHandle ROOT_ID =
      SparkCompat.handle(SparkListenerSQLExecutionStart.class, "rootExecutionId");
  private static final MethodHandle JOB_TAGS =
      SparkCompat.handle(SparkListenerSQLExecutionStart.class, "jobTags");
  private static final MethodHandle JOB_GROUP =
      SparkCompat.handle(SparkListenerSQLExecutionStart.class, "jobGroupId");
  private static final MethodHandle ERROR_MESSAGE =
      SparkCompat.handle(SparkListenerSQLExecutionEnd.class, "errorMessage");
  private static final MethodHandle CHILDREN = SparkCompat.handle(SparkPlanInfo.class, "children");
  private static final MethodHandle METRICS = SparkCompat.handle(SparkPlanInfo.class, "metrics");
  private static final MethodHandle DRIVER_UPDATES =
      SparkCompat.handle(SparkListenerDriverAccumUpdates.class, "accumUpdates");

  private SqlEvents() {}

  static void dispatch(TraceModel model, Object event) {
    if (event instanceof SparkListenerSQLExecutionStart) {
      model.sqlStart(start((SparkListenerSQLExecutionStart) event));
    } else if (event instanceof SparkListenerSQLAdaptiveExecutionUpdate) {
      SparkListenerSQLAdaptiveExecutionUpdate update =
          (SparkListenerSQLAdaptiveExecutionUpdate) event;
      model.sqlPlan(update.executionId(), plan(update.sparkPlanInfo()));
    } else if (event instanceof SparkListenerDriverAccumUpdates) {
      SparkListenerDriverAccumUpdates update = (SparkListenerDriverAccumUpdates) event;
      model.sqlDriverMetrics(update.executionId(), values(update));
    } else if (event instanceof SparkListenerSQLExecutionEnd) {
      SparkListenerSQLExecutionEnd end = (SparkListenerSQLExecutionEnd) event;
      String message = (String) SparkCompat.unwrap(SparkCompat.call(ERROR_MESSAGE, end));
      model.sqlEnd(new SqlEnd(end.executionId(), end.time(), message));
    }
  }

  private static SqlStart start(SparkListenerSQLExecutionStart event) {
    SqlStart start = new SqlStart();
    start.executionId = event.executionId();
    Object root = SparkCompat.unwrap(SparkCompat.call(ROOT_ID, event));
    start.rootExecutionId = root == null ? null : ((Number) root).longValue();
    start.description = event.description();
    start.details = event.details();
    start.plan = plan(event.sparkPlanInfo());
    start.commandArguments = CommandArguments.of(start.plan, event.physicalPlanDescription());
    start.time = event.time();
    start.tellsJobGroup = JOB_GROUP != null;
    start.jobGroup = (String) SparkCompat.unwrap(SparkCompat.call(JOB_GROUP, event));
    List<String> tags = new ArrayList<>();
    SparkCompat.forEach(SparkCompat.call(JOB_TAGS, event), tag -> tags.add((String) tag));
    start.jobTags = JobProperties.tags(tags);
    return start;
  }

  private static String location(scala.collection.immutable.Map<String, String> metadata) {
    return metadata == null
        ? null
        : PlanBudget.text((String) SparkCompat.unwrap(metadata.get("Location")));
  }

  private static long[] values(SparkListenerDriverAccumUpdates update) {
    AccumulatorValues values = new AccumulatorValues();
    SparkCompat.forEach(
        SparkCompat.call(DRIVER_UPDATES, update),
        entry -> {
          Tuple2<?, ?> pair = (Tuple2<?, ?>) entry;
          values.add(((Number) pair._1()).longValue(), ((Number) pair._2()).longValue());
        });
    return values.toArray();
  }

  private static PlanNode plan(SparkPlanInfo root) {
    return root == null ? null : node(root, new PlanBudget(), 0);
  }

  private static PlanNode node(SparkPlanInfo from, PlanBudget budget, int depth) {
    if (!budget.take(depth)) {
      return null;
    }
    List<PlanNode> children = new ArrayList<>(2);
    SparkCompat.forEach(
        SparkCompat.call(CHILDREN, from),
        info -> {
          PlanNode child = node((SparkPlanInfo) info, budget, depth + 1);
          if (child != null) {
            children.add(child);
          }
        });
    List<PlanMetric> metrics = new ArrayList<>();
    SparkCompat.forEach(
        SparkCompat.call(METRICS, from),
        info -> {
          SQLMetricInfo metric = (SQLMetricInfo) info;
          if (budget.takeMetric()) {
            metrics.add(new PlanMetric(metric.name(), metric.accumulatorId(), metric.metricType()));
          }
        });
    return new PlanNode(
        from.nodeName(),
        PlanBudget.text(from.simpleString()),
        children,
        metrics,
        location(from.metadata()));
  }
}
