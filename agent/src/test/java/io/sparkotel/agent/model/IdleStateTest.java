package io.sparkotel.agent.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.agent.telemetry.Names;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Case 25: what is over is forgotten, of nested queries as well. */
class IdleStateTest {

  private static final int QUERIES = 10_000;

  private final ModelFixture app = ModelFixture.app("otel.spark.tasks=none");

  IdleStateTest() {
    app.checks = false;
  }

  /** The fixture remembers what it posts and gets: of many, it forgets as it goes. */
  private void forget(AtomicInteger spans) {
    spans.addAndGet(app.spans.size());
    app.spans.clear();
    app.forget();
  }

  @Test
  void holdsNothingAfterManyQueries() {
    AtomicInteger spans = new AtomicInteger();
    for (int i = 0; i < QUERIES; i++) {
      ModelFixture.Sql sql = app.sql(2L * i).start();
      ModelFixture.Sql nested = app.sql(2L * i + 1).under(2L * i).start();
      ModelFixture.Job job = app.job(i, app.stage(i, 1)).sql(2L * i + 1).start();
      sql.succeed();
      nested.succeed();
      assertThat(app.model.stateSize()).isPositive();
      job.succeed();
      assertThat(app.model.stateSize()).isZero();
      forget(spans);
    }
    assertThat(spans).hasValue(1 + 3 * QUERIES + QUERIES / 500 - 1);
    assertThat(app.finish().value("application", Names.STAGES_SKIPPED)).isEqualTo((long) QUERIES);
  }
}
