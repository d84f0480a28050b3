package io.sparkotel.it;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** What Spark's answers make of cost, computed by no code of the product. Times are in ms. */
final class CostTruth {

  private record Period(long start, long end) {
    long within(long from, long to) {
      return Math.max(0, Math.min(end, to) - Math.max(start, from));
    }
  }

  private record Executor(long cores, Period life) {}

  private final List<Executor> executors = new ArrayList<>();
  private final List<Period> busy = new ArrayList<>();
  private boolean jobsAreTimed = true;
  private long taskCpus = 1;

  /**
   * @param executors as the API lists them; the driver of a cluster has no cores
   * @param jobs as the API lists them
   * @param end of those jobs and executors that have none
   */
  CostTruth(Iterable<JsonNode> executors, Iterable<JsonNode> jobs, long end) {
    for (JsonNode executor : executors) {
      long cores = executor.get("totalCores").asLong();
      if (cores > 0) {
        this.executors.add(new Executor(cores, period(executor, "addTime", "removeTime", end)));
        taskCpus = cores / Math.max(1, executor.get("maxTasks").asLong());
      }
    }
    List<Period> all = new ArrayList<>();
    for (JsonNode job : jobs) {
      if (!job.has("submissionTime")) {
        jobsAreTimed = false;
        continue;
      }
      all.add(period(job, "submissionTime", "completionTime", end));
    }
    all.sort(Comparator.comparingLong(Period::start));
    for (Period next : all) {
      Period last = busy.isEmpty() ? null : busy.get(busy.size() - 1);
      if (last != null && next.start() <= last.end()) {
        busy.set(busy.size() - 1, new Period(last.start(), Math.max(last.end(), next.end())));
      } else {
        busy.add(next);
      }
    }
  }

  private static Period period(JsonNode of, String start, String end, long openEnd) {
    return new Period(
        SparkAnswers.millis(of.get(start)),
        of.has(end) ? SparkAnswers.millis(of.get(end)) : openEnd);
  }

  /** Null where no executor was there by then. */
  Long coreTime(long start, long end) {
    if (executors.stream().noneMatch(executor -> executor.life().within(0, end) > 0)) {
      return null;
    }
    return executors.stream()
        .mapToLong(executor -> executor.cores() * executor.life().within(start, end))
        .sum();
  }

  /** Cores that a task takes, the same for all. */
  long taskCpus() {
    return taskCpus;
  }

  /** Spark 1 told no times of jobs. */
  boolean knowsJobs() {
    return jobsAreTimed;
  }

  long driverOnlyTime(long start, long end) {
    return end - start - busyTime(start, end);
  }

  private long busyTime(long start, long end) {
    return busy.stream().mapToLong(period -> period.within(start, end)).sum();
  }

  /** Null where the cores of the executors are not known. */
  Long idealTime(long start, long end, long used) {
    long cores = 0;
    for (Period period : busy) {
      Long inIt = coreTime(Math.max(start, period.start()), Math.min(end, period.end()));
      cores += inIt == null ? 0 : inIt;
    }
    long busyTime = busyTime(start, end);
    long ofJobs = cores == 0 ? 0 : Math.round((double) busyTime * used / cores);
    return coreTime(start, end) == null || (cores == 0 && used > 0)
        ? null
        : (Long) (driverOnlyTime(start, end) + Math.min(busyTime, ofJobs));
  }
}
