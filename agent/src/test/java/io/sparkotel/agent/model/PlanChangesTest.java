package io.sparkotel.agent.model;

import static io.sparkotel.agent.model.ModelFixture.measured;
import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.agent.event.PlanNode;
import java.util.List;
import org.junit.jupiter.api.Test;

class PlanChangesTest {

  private final SqlMetrics metrics = new SqlMetrics();

  @Test
  void joinsAndPartitionCountsInWords() {
    PlanNode first =
        join(
            "SortMergeJoin",
            join("SortMergeJoin", exchange(200), exchange(200)),
            join("BroadcastHashJoin", exchange(200), node("Range")));
    metrics.driver(new long[] {1, 3, 2, 3, 3, 205});
    PlanNode last =
        join(
            "BroadcastHashJoin",
            join(
                "SortMergeJoin(skew=true)", read(1, " coalesced", 200), read(2, " coalesced", 200)),
            join("BroadcastHashJoin", read(3, " coalesced and skewed", 200), read(4, " local", 1)));
    assertThat(PlanChanges.of(first, last, metrics))
        .containsExactly(
            "SortMergeJoin became BroadcastHashJoin",
            "SortMergeJoin splits skewed partitions",
            "shuffle of 200 partitions read as 3 (2 times)",
            "shuffle of 200 partitions read as 205, skewed ones split",
            "shuffle of 1 partition read locally");
  }

  @Test
  void aJoinThatIsGone() {
    PlanNode first =
        join("SortMergeJoin", join("SortMergeJoin", node("Range"), node("Range")), node("Range"));
    assertThat(PlanChanges.of(first, node("EmptyRelation"), metrics))
        .containsExactly("SortMergeJoin was dropped (2 times)");
    assertThat(
            PlanChanges.of(first, join("BroadcastHashJoin", node("Range"), node("Range")), metrics))
        .containsExactly("SortMergeJoin was dropped (2 times)", "BroadcastHashJoin was added");
  }

  @Test
  void nothingChanged() {
    PlanNode plan = join("SortMergeJoin", exchange(200), exchange(200));
    assertThat(PlanChanges.of(plan, plan, metrics)).isEmpty();
    assertThat(PlanChanges.of(null, plan, metrics)).isEmpty();
    assertThat(PlanChanges.of(plan, null, metrics)).isEmpty();
  }

  /** A number that nobody told is none. */
  @Test
  void whatIsNotKnownIsNotSaid() {
    PlanNode read =
        measured("AQEShuffleRead", "AQEShuffleRead coalesced", new Object[0][], node("X"));
    assertThat(PlanChanges.of(node("X"), read, metrics)).containsExactly("shuffle read otherwise");
    for (String text :
        List.of(
            "Exchange SinglePartition", "Exchange f(a", "Exchange f(a)", ")", "Exchange f((1)")) {
      PlanNode odd = node(text);
      assertThat(
              PlanChanges.of(
                  odd, measured("AQEShuffleRead", "AQEShuffleRead", new Object[0][], odd), metrics))
          .containsExactly("shuffle read otherwise");
    }
  }

  @Test
  void subqueriesAndCachesHavePlansOfTheirOwn() {
    PlanNode join = join("SortMergeJoin", node("Range"), node("Range"));
    for (String name :
        List.of("Subquery", "SubqueryBroadcast", "InMemoryTableScan", "EmptyRelation Join Inner")) {
      assertThat(
              PlanChanges.of(
                  ModelFixture.node(name, name), ModelFixture.node(name, name, join), metrics))
          .isEmpty();
    }
  }

  private static PlanNode join(String name, PlanNode... children) {
    return ModelFixture.node(name, name + " [a#1], [b#2], Inner", children);
  }

  private static PlanNode exchange(int partitions) {
    return ModelFixture.node(
        "Exchange", "Exchange hashpartitioning(f(a#1), " + partitions + "), ENSURE_REQUIREMENTS");
  }

  private static PlanNode read(long id, String how, int partitions) {
    return measured(
        "AQEShuffleRead",
        "AQEShuffleRead" + how,
        new Object[][] {{"number of partitions", id, "sum"}},
        ModelFixture.node("ShuffleQueryStage", "ShuffleQueryStage 0", exchange(partitions)));
  }

  private static PlanNode node(String name) {
    return ModelFixture.node(name, name);
  }
}
