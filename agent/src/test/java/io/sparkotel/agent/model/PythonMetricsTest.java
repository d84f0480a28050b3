package io.sparkotel.agent.model;

import static io.sparkotel.agent.model.ModelFixture.measured;
import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.agent.event.PlanNode;
import io.sparkotel.agent.telemetry.PythonMetric;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What the nodes that run Python measured, added up on their SQL execution. */
class PythonMetricsTest {

  private static final Object[][] OLD = {
    {"number of output rows", 1, "sum"},
    {"data sent to Python workers", 2, "size"},
    {"data returned from Python workers", 3, "size"}
  };

  private static final Object[][] NEW = {
    {"number of output rows", 11, "sum"},
    {"data sent to Python workers", 12, "size"},
    {"data returned from Python workers", 13, "size"},
    {"time to start Python workers", 14, "timing"},
    {"time to initialize Python workers", 15, "timing"},
    {"time to run Python workers", 16, "timing"},
    {"time to execute Python code", 17, "nsTiming"}
  };

  private static final PlanNode RANGE =
      measured("Range", "Range (0, 10)", new Object[][] {{"number of output rows", 30, "sum"}});

  private final ModelFixture app = ModelFixture.app();

  private Map<String, Object> python(PlanNode plan, long... values) {
    ModelFixture.Sql sql = app.sql(0).planned(plan).start().driverMetrics(values);
    sql.succeed();
    SpanTree tree = app.finish();
    Map<String, Object> told = new TreeMap<>();
    for (PythonMetric metric : PythonMetric.values()) {
      Object value = tree.value("sql 0", metric.attribute());
      if (value != null) {
        told.put(metric.name(), value);
      }
    }
    return told;
  }

  @Test
  void nodesAreAddedUpAndWhatOneDoesNotTellIsNoZero() {
    PlanNode plan =
        measured("ArrowEvalPython", "", NEW, RANGE, measured("BatchEvalPython", "", OLD, RANGE));
    assertThat(python(plan, 1, 10, 2, 43, 3, 36, 11, 9, 12, 200, 14, 5, 17, 2_999_999, 30, 70))
        .isEqualTo(
            Map.of(
                "ROWS", 19L,
                "DATA_SENT", 243L,
                "DATA_RECEIVED", 36L,
                "START_TIME", 5L,
                "CODE_TIME", 2L));
  }

  /** The plan shows it where it ran and where it is used again. */
  @Test
  void aNodeThatIsReusedCountsOnce() {
    PlanNode node = measured("MapInPandas", "", NEW, RANGE);
    PlanNode plan =
        measured("Union", "", new Object[0][], node, measured("ReusedExchange", "", NEW, node));
    assertThat(python(plan, 11, 10, 12, 43, 13, 36, 15, 1, 16, 7))
        .isEqualTo(
            Map.of(
                "ROWS", 10L,
                "DATA_SENT", 43L,
                "DATA_RECEIVED", 36L,
                "INIT_TIME", 1L,
                "RUN_TIME", 7L));
  }

  @Test
  void whereNothingWasToldNothingIs() {
    assertThat(python(measured("MapInPandas", "", NEW, RANGE), 30, 10)).isEmpty();
  }

  /** A data source in Python has metrics of its own making. */
  @Test
  void nodesWithoutMetricsOfPythonAreNone() {
    Object[][] own = {
      {"number of output rows", 1, "sum"},
      {"data sent to Python workers", 2, "v2Custom_com.acme.Sent"}
    };
    assertThat(python(measured("BatchScan numbers", "", own), 1, 10, 2, 43)).isEmpty();
  }
}
