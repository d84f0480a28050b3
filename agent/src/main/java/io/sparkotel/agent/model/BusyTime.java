package io.sparkotel.agent.model;

import io.sparkotel.agent.telemetry.FinishedSpan;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * The time in which any job ran: the union of the jobs' times, and the core time in it. Holds the
 * jobs that run, and of the time behind them at most {@link #MAX_PERIODS} periods; of more the
 * older ones are counted and forgotten, which no job that runs can reach.
 */
final class BusyTime {

  static final int MAX_PERIODS = 256;

  private final ExecutorCores executors;
  private final Map<Integer, Long> running = new HashMap<>();

  /** Periods that do not touch, in order. */
  private long[] starts = new long[4];

  private long[] ends = new long[4];
  private int periods;
  private long countedTime;
  private long countedCoreTime;
  private long countedUntil;

  BusyTime(ExecutorCores executors) {
    this.executors = executors;
  }

  void started(int jobId, long time) {
    running.put(jobId, FinishedSpan.clamp(time));
  }

  void ended(int jobId, long time) {
    Long start = running.remove(jobId);
    if (start != null) {
      add(Math.max(start, countedUntil), FinishedSpan.clamp(time));
    }
  }

  private void add(long start, long end) {
    if (end <= start) {
      return;
    }
    int first = periods;
    while (first > 0 && ends[first - 1] >= start) {
      first--;
    }
    int last = first;
    long from = start;
    long to = end;
    for (; last < periods && starts[last] <= end; last++) {
      from = Math.min(from, starts[last]);
      to = Math.max(to, ends[last]);
    }
    replace(first, last, from, to);
    if (periods > MAX_PERIODS) {
      compact();
    }
  }

  /** Puts one period in the place of those from {@code first} up to {@code last}. */
  private void replace(int first, int last, long from, long to) {
    int after = periods - last;
    if (first + 1 + after > starts.length) {
      starts = Arrays.copyOf(starts, 2 * starts.length);
      ends = Arrays.copyOf(ends, 2 * ends.length);
    }
    System.arraycopy(starts, last, starts, first + 1, after);
    System.arraycopy(ends, last, ends, first + 1, after);
    starts[first] = from;
    ends[first] = to;
    periods = first + 1 + after;
  }

  private void compact() {
    long open = Long.MAX_VALUE;
    for (long start : running.values()) {
      open = Math.min(open, start);
    }
    // What a running job covers is one period: it will be that of the job, or a part of it.
    int covered = periods;
    while (covered > 0 && starts[covered - 1] >= open) {
      covered--;
    }
    if (covered < periods) {
      replace(covered, periods, starts[covered], ends[periods - 1]);
    }
    int counted = Math.min(covered, periods - MAX_PERIODS / 2);
    for (int i = 0; i < counted; i++) {
      countedTime += ends[i] - starts[i];
      countedCoreTime += executors.coreTime(starts[i], ends[i]);
      countedUntil = ends[i];
    }
    if (counted > 0) {
      System.arraycopy(starts, counted, starts, 0, periods - counted);
      System.arraycopy(ends, counted, ends, 0, periods - counted);
      periods -= counted;
    }
  }

  /** How many jobs are held that have not ended. */
  int running() {
    return running.size();
  }

  /** How many periods are held. */
  int periods() {
    return periods;
  }

  /** Milliseconds between two times in which a job ran that has ended. */
  long time(long start, long end) {
    long sum = countedTime;
    for (int i = 0; i < periods; i++) {
      sum += Math.max(0, Math.min(ends[i], end) - Math.max(starts[i], start));
    }
    return sum;
  }

  /** The core time that there was in {@link #time}. */
  long coreTime(long start, long end) {
    long sum = countedCoreTime;
    for (int i = 0; i < periods; i++) {
      sum += executors.coreTime(Math.max(starts[i], start), Math.min(ends[i], end));
    }
    return sum;
  }
}
