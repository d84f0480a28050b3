package io.sparkotel.agent.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.agent.event.ExecutorAdded;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BusyTimeTest {

  private static final long END = 100_000_000;

  private final ExecutorCores executors = new ExecutorCores();
  private final BusyTime busy = new BusyTime(executors);
  private int nextJob;

  /** Four cores from 0 on. */
  BusyTimeTest() {
    ExecutorAdded event = new ExecutorAdded();
    event.time = 1;
    event.executorId = "1";
    event.cores = 4;
    executors.added(event);
  }

  private void job(long start, long end) {
    int id = nextJob++;
    busy.started(id, start);
    busy.ended(id, end);
  }

  private void assertTime(long millis) {
    assertThat(busy.time(0, END)).isEqualTo(millis);
    assertThat(busy.coreTime(0, END)).isEqualTo(4 * millis);
  }

  @Test
  void whatOverlapsCountsOnce() {
    job(10, 20);
    job(40, 50);
    assertTime(20);
    job(15, 25);
    assertTime(25);
    job(20, 40);
    assertTime(40);
    assertThat(busy.periods()).isEqualTo(1);
    job(5, 60);
    assertTime(55);
    job(70, 70);
    job(90, 80);
    assertTime(55);
    assertThat(busy.periods()).isEqualTo(1);
  }

  @Test
  void onlyWhatIsBetweenTheTimesCounts() {
    job(10, 20);
    job(30, 40);
    assertThat(busy.time(15, 35)).isEqualTo(10);
    assertThat(busy.coreTime(15, 35)).isEqualTo(40);
    assertThat(busy.time(20, 30)).isZero();
  }

  @Test
  void isTheUnionInEveryOrder() {
    Random random = new Random(11);
    for (int round = 0; round < 50; round++) {
      BusyTime any = new BusyTime(executors);
      BitSet expected = new BitSet();
      List<long[]> jobs = new ArrayList<>();
      for (int i = 0; i < 150; i++) {
        long start = 10L + random.nextInt(5_000);
        long end = start + random.nextInt(40);
        jobs.add(new long[] {start, end});
        expected.set((int) start, (int) end);
      }
      Collections.shuffle(jobs, random);
      for (int i = 0; i < jobs.size(); i++) {
        any.started(i, jobs.get(i)[0]);
        any.ended(i, jobs.get(i)[1]);
      }
      assertThat(any.time(0, END)).isEqualTo(expected.cardinality());
      assertThat(any.coreTime(0, END)).isEqualTo(4L * expected.cardinality());
    }
  }

  @Test
  void manyJobsOneAfterTheOther() {
    for (long i = 1; i <= 100_000; i++) {
      job(10 * i, 10 * i + 7);
      assertThat(busy.periods()).isLessThanOrEqualTo(BusyTime.MAX_PERIODS);
    }
    assertTime(700_000);
  }

  @Test
  void manyJobsWhileALongOneRuns() {
    job(100, 200);
    busy.started(-1, 1_000);
    for (long i = 1_000; i < 11_000; i++) {
      job(10 * i, 10 * i + 7);
      assertThat(busy.periods()).isLessThanOrEqualTo(BusyTime.MAX_PERIODS);
    }
    busy.ended(-1, 200_000);
    assertTime(100 + 199_000);
    assertThat(busy.periods()).isEqualTo(2);
  }

  /** Told so late that what was before it is no longer held: it cannot count twice. */
  @Test
  void aJobThatIsToldFarTooLate() {
    for (long i = 1; i <= 1_000; i++) {
      job(10 * i, 10 * i + 7);
    }
    job(10, 17);
    assertTime(7_000);
  }
}
