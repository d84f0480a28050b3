package io.sparkotel.agent.event;

import io.sparkotel.agent.model.TraceModel;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The events of Spark's SQL module in an event log. */
final class SqlJson {

  private SqlJson() {}

  /** The execution's id is -1 where the event does not tell it. */
  static SqlStart start(JsonFields fields) throws IOException {
    SqlStart start = new SqlStart();
    start.executionId = -1;
    String description = null;
    while (fields.next()) {
      switch (fields.name()) {
        case "executionId":
          start.executionId = fields.numberOr(-1);
          break;
        case "rootExecutionId":
          start.rootExecutionId = fields.numberOrNull();
          break;
        case "description":
          start.description = fields.text();
          break;
        case "details":
          start.details = fields.text();
          break;
        case "physicalPlanDescription":
          description = fields.text();
          break;
        case "sparkPlanInfo":
          start.plan = plan(fields, new PlanBudget(), 0);
          break;
        case "time":
          start.time = fields.number();
          break;
        case "jobGroupId":
          start.tellsJobGroup = true;
          start.jobGroup = fields.text();
          break;
        case "jobTags":
          start.jobTags = JobProperties.tags(fields.texts());
          break;
        default:
          fields.skip();
      }
    }
    start.commandArguments = CommandArguments.of(start.plan, description);
    return start;
  }

  /** Tells the model; gives what is missing, or null. */
  static String update(JsonFields fields, TraceModel model) throws IOException {
    long executionId = -1;
    PlanNode plan = null;
    while (fields.next()) {
      switch (fields.name()) {
        case "executionId":
          executionId = fields.numberOr(-1);
          break;
        case "sparkPlanInfo":
          plan = plan(fields, new PlanBudget(), 0);
          break;
        default:
          fields.skip();
      }
    }
    if (executionId < 0 || plan == null) {
      return "without " + (plan == null ? "its plan" : "its execution");
    }
    model.sqlPlan(executionId, plan);
    return null;
  }

  /** Tells the model; gives what is missing, or null. */
  static String driverMetrics(JsonFields fields, TraceModel model) throws IOException {
    long executionId = -1;
    AccumulatorValues values = new AccumulatorValues();
    while (fields.next()) {
      switch (fields.name()) {
        case "executionId":
          executionId = fields.numberOr(-1);
          break;
        case "accumUpdates":
          for (boolean more = fields.enterArray(); more && fields.nextElement(); ) {
            pair(fields, values);
          }
          break;
        default:
          fields.skip();
      }
    }
    if (executionId < 0) {
      return "without its execution";
    }
    model.sqlDriverMetrics(executionId, values.toArray());
    return null;
  }

  /** An array of the accumulator's id and a value. */
  private static void pair(JsonFields fields, AccumulatorValues values) throws IOException {
    long[] pair = new long[2];
    int count = 0;
    for (boolean more = fields.enterArray(); more && fields.nextElement(); count++) {
      Long number = fields.numberOrNull();
      if (number == null) {
        count = pair.length;
      } else if (count < pair.length) {
        pair[count] = number;
      }
    }
    if (count == pair.length) {
      values.add(pair[0], pair[1]);
    }
  }

  static SqlEnd end(JsonFields fields) throws IOException {
    long executionId = -1;
    long time = 0;
    String errorMessage = null;
    while (fields.next()) {
      switch (fields.name()) {
        case "executionId":
          executionId = fields.numberOr(-1);
          break;
        case "time":
          time = fields.number();
          break;
        case "errorMessage":
          errorMessage = fields.text();
          break;
        default:
          fields.skip();
      }
    }
    return new SqlEnd(executionId, time, errorMessage);
  }

  private static PlanNode plan(JsonFields fields, PlanBudget budget, int depth) throws IOException {
    if (!budget.take(depth)) {
      fields.skip();
      return null;
    }
    if (!fields.enter()) {
      return null;
    }
    String name = null;
    String text = null;
    List<PlanNode> children = new ArrayList<>(2);
    List<PlanMetric> metrics = new ArrayList<>(0);
    String location = null;
    while (fields.next()) {
      switch (fields.name()) {
        case "nodeName":
          name = fields.text();
          break;
        case "simpleString":
          text = PlanBudget.text(fields.text());
          break;
        case "children":
          for (boolean more = fields.enterArray(); more && fields.nextElement(); ) {
            PlanNode child = plan(fields, budget, depth + 1);
            if (child != null) {
              children.add(child);
            }
          }
          break;
        case "metadata":
          if (fields.enter()) {
            while (fields.next()) {
              if (fields.is("Location")) {
                location = PlanBudget.text(fields.text());
              } else {
                fields.skip();
              }
            }
          }
          break;
        case "metrics":
          for (boolean more = fields.enterArray(); more && fields.nextElement(); ) {
            PlanMetric metric = metric(fields);
            if (metric != null && budget.takeMetric()) {
              metrics.add(metric);
            }
          }
          break;
        default:
          fields.skip();
      }
    }
    return new PlanNode(name, text, children, metrics, location);
  }

  /** Null where it has no accumulator. */
  private static PlanMetric metric(JsonFields fields) throws IOException {
    if (!fields.enter()) {
      return null;
    }
    String name = null;
    String type = null;
    long accumulatorId = -1;
    while (fields.next()) {
      switch (fields.name()) {
        case "name":
          name = fields.text();
          break;
        case "accumulatorId":
          accumulatorId = fields.numberOr(-1);
          break;
        case "metricType":
          type = fields.text();
          break;
        default:
          fields.skip();
      }
    }
    return accumulatorId < 0 ? null : new PlanMetric(name, accumulatorId, type);
  }
}
