package io.sparkotel.agent.model;

import io.sparkotel.agent.event.ExecutorAdded;
import io.sparkotel.agent.event.ResourceProfile;
import io.sparkotel.agent.telemetry.AttributeList;
import io.sparkotel.agent.telemetry.CostMetric;
import io.sparkotel.agent.telemetry.FinishedSpan;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The executors of an application: how many cores and how much memory there were for how long. All
 * is told by the times of their events, so that a span may ask for its own time when it ends.
 *
 * <p>An executor counts from the time of its ExecutorAdded to that of its ExecutorRemoved. Spark
 * takes such a time and posts the event at once: one that another thread posts in the same
 * millisecond may be missed, which changes nothing, as nothing has passed since.
 *
 * <p>Nothing is told where no executor was told of by then, and from the first one on of which the
 * cores are not known or that runs a task without having been told of.
 */
final class ExecutorCores {

  /** More than anybody defines; of others the memory is not known. */
  static final int MAX_PROFILES = 64;

  /** Of more at a time nothing is told: no cluster has them, so their removals were missed. */
  static final int MAX_LIVE = 20_000;

  static final int MAX_NAMES = 1_000;
  private static final int MAX_DIGITS = 18;

  private static final class Executor {
    final long added;
    final long cores;
    final CountOverTime sameProfile;

    Executor(long added, long cores, CountOverTime sameProfile) {
      this.added = added;
      this.cores = cores;
      this.sameProfile = sameProfile;
    }
  }

  private final Map<String, Executor> live = new HashMap<>();
  private final IdRanges earlierIds = new IdRanges();
  private final Set<String> earlierNames = new HashSet<>(0);
  private final CountOverTime cores = new CountOverTime();

  /** How many executors there were, by their resource profiles; null for a driver that is one. */
  private final Map<Integer, CountOverTime> executors = new HashMap<>();

  private final Map<Integer, ResourceProfile> profiles = new HashMap<>();
  private Map<String, String> conf = Collections.emptyMap();
  private boolean unknown;
  private boolean tooMany;
  private boolean memoryUnknown;
  private int most;
  private long mostCores;
  private long removed;

  ExecutorCores() {
    profiles.put(ResourceProfile.DEFAULT_ID, new ResourceProfile());
  }

  void environment(Map<String, String> sparkProperties) {
    conf = sparkProperties;
  }

  void profile(ResourceProfile profile) {
    // The default one says what the settings say.
    if (profile.id != ResourceProfile.DEFAULT_ID && profiles.size() < MAX_PROFILES) {
      profiles.putIfAbsent(profile.id, profile);
    }
  }

  void added(ExecutorAdded event) {
    if (live.containsKey(event.executorId)) {
      return;
    }
    if (live.size() >= MAX_LIVE) {
      unknown = true;
      tooMany = true;
      return;
    }
    boolean believed =
        event.time > 0
            && event.time <= FinishedSpan.MAX_MILLIS
            && event.cores > 0
            && event.cores <= CountOverTime.MAX_COUNT - cores.count();
    unknown |= !believed;
    long added = believed ? event.time : 0;
    Executor executor =
        new Executor(added, believed ? event.cores : 0, believed ? sameProfile(event) : null);
    live.put(event.executorId, executor);
    most = Math.max(most, live.size());
    change(executor, added, 1);
  }

  /** Null where its memory cannot be known. */
  private CountOverTime sameProfile(ExecutorAdded event) {
    boolean noRoom = executors.size() >= MAX_PROFILES && !executors.containsKey(event.profileId);
    // A driver that runs tasks has the memory of its own JVM, which Spark does not set.
    if (noRoom || TraceModel.DRIVER.equals(event.executorId)) {
      memoryUnknown = true;
      return null;
    }
    return executors.computeIfAbsent(event.profileId, id -> new CountOverTime());
  }

  private void change(Executor executor, long time, int sign) {
    if (executor.cores > 0) {
      cores.change(time, sign * executor.cores);
      mostCores = Math.max(mostCores, cores.count());
    }
    if (executor.sameProfile != null) {
      executor.sameProfile.change(time, sign);
    }
  }

  void removed(long time, String executorId) {
    Executor executor = live.remove(executorId);
    if (executor == null) {
      return;
    }
    removed++;
    long id = number(executorId);
    if (id >= 0) {
      earlierIds.add(id);
    } else if (earlierNames.size() < MAX_NAMES) {
      earlierNames.add(executorId);
    }
    long end = Math.min(time, FinishedSpan.MAX_MILLIS);
    change(executor, Math.max(executor.added, end), -1);
  }

  /** Its executor has been told of before, or the log lacks it. */
  void taskStarted(String executorId) {
    if (!live.containsKey(executorId)) {
      long id = number(executorId);
      unknown |=
          id >= 0
              ? !earlierIds.contains(id)
              : !earlierNames.contains(executorId) && earlierNames.size() < MAX_NAMES;
    }
  }

  /** As Spark counts its executors; -1 for other names. */
  private static long number(String executorId) {
    if (executorId == null || executorId.isEmpty() || executorId.length() > MAX_DIGITS) {
      return -1;
    }
    long number = 0;
    for (int i = 0; i < executorId.length(); i++) {
      int digit = executorId.charAt(i) - '0';
      if (digit < 0 || digit > 9) {
        return -1;
      }
      number = 10 * number + digit;
    }
    return number;
  }

  /** Most at one time; null where there were too many. */
  Integer most() {
    return tooMany ? null : Integer.valueOf(most);
  }

  /** How much is held. */
  int size() {
    int size = live.size() + earlierIds.ranges() + earlierNames.size() + profiles.size();
    size += cores.points();
    for (CountOverTime ofProfile : executors.values()) {
      size += ofProfile.points();
    }
    return size;
  }

  /** Most at one time. */
  long mostCores() {
    return mostCores;
  }

  long removed() {
    return removed;
  }

  /** How many cores a task of a resource profile takes; 0 where that is not known. */
  int taskCpus(int profileId) {
    ResourceProfile profile = profiles.get(profileId);
    if (profile == null) {
      return 0;
    }
    if (profile.taskCpus != ResourceProfile.UNSET) {
      return (int) Math.max(0, Math.min(Short.MAX_VALUE, profile.taskCpus));
    }
    String cpus = conf.get("spark.task.cpus");
    return cpus == null ? 1 : (int) Math.min(Short.MAX_VALUE, Math.max(0, number(cpus)));
  }

  /** Whether the cores up to a time are known. */
  boolean isKnown(long time) {
    return !unknown && cores.until(FinishedSpan.clamp(time)) > 0;
  }

  /**
   * The sum over executors of their cores times the milliseconds in which they were there, between
   * two times, epoch milliseconds; meaningless where they are not {@link #isKnown}.
   */
  long coreTime(long start, long end) {
    long from = FinishedSpan.clamp(start);
    return cores.until(Math.max(from, FinishedSpan.clamp(end))) - cores.until(from);
  }

  /** The same of memory, in MiB times seconds, rounded down; null where it is not known. */
  Long memoryTime(long start, long end) {
    if (memoryUnknown || !isKnown(end)) {
      return null;
    }
    long from = FinishedSpan.clamp(start);
    long to = Math.max(from, FinishedSpan.clamp(end));
    double sum = 0;
    for (Map.Entry<Integer, CountOverTime> entry : executors.entrySet()) {
      long time = entry.getValue().until(to) - entry.getValue().until(from);
      ResourceProfile profile = profiles.get(entry.getKey());
      long mib = profile == null ? ExecutorMemory.UNKNOWN : ExecutorMemory.of(conf, profile);
      if (time > 0 && mib == ExecutorMemory.UNKNOWN) {
        return null;
      }
      sum += (double) time * mib;
    }
    return (long) (sum / 1_000);
  }

  /** The heap of each in bytes; null where it is not known or not the same for all. */
  Long heap() {
    boolean same = executors.size() == 1 && executors.containsKey(ResourceProfile.DEFAULT_ID);
    long mib = same && !memoryUnknown ? ExecutorMemory.heap(conf) : ExecutorMemory.UNKNOWN;
    return mib == ExecutorMemory.UNKNOWN ? null : Long.valueOf(mib << 20);
  }

  /** What an application or a SQL execution had of them in its time, and what its tasks used. */
  void put(AttributeList.Builder attributes, Totals totals, long start, long end) {
    Long used = totals.coreTimeUsed();
    attributes.put(CostMetric.CORE_TIME_USED.attribute(), used);
    if (!isKnown(end)) {
      return;
    }
    long available = coreTime(start, end);
    attributes.put(CostMetric.CORE_TIME.attribute(), available);
    if (used != null && available > 0) {
      attributes.put(CostMetric.UTILIZATION.attribute(), (double) used / available);
    }
    attributes.put(CostMetric.MEMORY_TIME.attribute(), memoryTime(start, end));
  }
}
