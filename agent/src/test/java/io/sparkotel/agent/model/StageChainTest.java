package io.sparkotel.agent.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.agent.event.EndReason;
import io.sparkotel.agent.event.TaskEnd;
import io.sparkotel.agent.event.TaskInfo;
import java.util.List;
import org.junit.jupiter.api.Test;

class StageChainTest {

  private final StageChain chain = new StageChain();

  private static StageChain.LongestTask longest(long... millis) {
    StageChain.LongestTask longest = new StageChain.LongestTask();
    for (long one : millis) {
      longest.ended(end(one, EndReason.Kind.Success));
    }
    return longest;
  }

  private static TaskEnd end(long millis, EndReason.Kind kind) {
    TaskEnd end = new TaskEnd();
    end.task = new TaskInfo();
    end.task.launchTime = 1_000;
    end.task.finishTime = 1_000 + millis;
    end.reason = new EndReason(kind, null, null, null);
    return end;
  }

  @Test
  void aJobWithoutStagesTakesNoTime() {
    assertThat(chain.close()).isZero();
  }

  /**
   *
   *
   * <pre>
   * 0: 5 ──► 2: 10 ──► 4: 1     16
   * 1: 8 ─────────────► 4        9
   * 3: 20                        20, reads from nothing
   * </pre>
   */
  @Test
  void takesTheLongestOfTheWays() {
    chain.add(0, List.of(), longest(3, 5));
    chain.add(1, List.of(), longest(8, 2));
    chain.add(2, List.of("0"), longest(10));
    chain.add(4, List.of("1", "2"), longest(1));
    chain.add(3, null, longest(15));
    assertThat(chain.close()).isEqualTo(16);
    assertThat(chain.close()).isZero();

    chain.add(3, null, longest(20));
    chain.add(0, List.of(), longest(5));
    chain.add(2, List.of("0"), longest(10));
    assertThat(chain.close()).isEqualTo(20);
  }

  @Test
  void whatIsSkippedTakesNoTimeAndLeadsNowhere() {
    chain.add(7, List.of("6"), longest(4));
    chain.add(5, List.of(), longest(3));
    assertThat(chain.close()).isEqualTo(4);
  }

  @Test
  void attemptsOfAStageFollowEachOther() {
    chain.add(0, List.of(), longest(5));
    chain.add(1, List.of("0"), longest(7));
    chain.add(0, List.of(), longest(2));
    chain.add(1, List.of("0"), longest(6));
    assertThat(chain.close()).isEqualTo(20);
  }

  @Test
  void oneThatWasKilledWasNotWaitedFor() {
    StageChain.LongestTask longest = longest(5);
    longest.ended(end(50, EndReason.Kind.TaskKilled));
    longest.ended(end(60, EndReason.Kind.TaskCommitDenied));
    chain.add(0, List.of(), longest);
    assertThat(chain.close()).isEqualTo(5);
    longest.ended(end(9, EndReason.Kind.ExceptionFailure));
    chain.add(0, List.of(), longest);
    assertThat(chain.close()).isEqualTo(9);
  }

  @Test
  void nothingThatAStageSaysOfItsParentsMakesACircle() {
    chain.add(0, List.of("1", "x", "-1"), longest(5));
    chain.add(1, List.of("0", "1", "1"), longest(6));
    assertThat(chain.close()).isEqualTo(11);
    chain.add(0, List.of(), longest(Long.MAX_VALUE - 2_000));
    chain.add(1, List.of("0"), longest(Long.MAX_VALUE - 2_000));
    assertThat(chain.close()).isEqualTo(Long.MAX_VALUE);
  }
}
