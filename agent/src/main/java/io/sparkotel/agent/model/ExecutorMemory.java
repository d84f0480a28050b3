package io.sparkotel.agent.model;

import io.sparkotel.agent.event.ResourceProfile;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The memory that an executor is asked for, as settings and resource profile tell it: heap,
 * off-heap memory, that of PySpark where it is set, and on YARN and Kubernetes the overhead.
 */
final class ExecutorMemory {

  /** What no executor has; and so what cannot be known is not invented. */
  static final long UNKNOWN = -1;

  private static final Pattern SIZE = Pattern.compile("(\\d{1,15})([kmgtp]?)(b?)");
  private static final String UNITS = "kmgtp";
  private static final long MIB = 1 << 20;
  private static final long MAX_MIB = 1L << 30;

  private final Map<String, String> conf;
  private final ResourceProfile profile;

  private ExecutorMemory(Map<String, String> conf, ResourceProfile profile) {
    this.conf = conf;
    this.profile = profile;
  }

  /**
   * In MiB.
   *
   * @param profile not of the settings alone where its id is not 0
   */
  static long of(Map<String, String> conf, ResourceProfile profile) {
    return new ExecutorMemory(conf, profile).mib();
  }

  /** That of the heap alone, as the settings tell it; in MiB. */
  static long heap(Map<String, String> conf) {
    return new ExecutorMemory(conf, new ResourceProfile())
        .given(ResourceProfile.UNSET, "spark.executor.memory", "1g", MIB);
  }

  private long mib() {
    String master = text("spark.master", "");
    boolean container = master.startsWith("yarn") || master.startsWith("k8s://");
    if (!container && !master.startsWith("spark://") && !master.startsWith("local-cluster")) {
      return UNKNOWN;
    }
    long heap = given(profile.heap, "spark.executor.memory", "1g", MIB);
    boolean usesOffHeap = Boolean.parseBoolean(text("spark.memory.offHeap.enabled", "false"));
    long offHeap =
        usesOffHeap || profile.offHeap != ResourceProfile.UNSET
            ? given(profile.offHeap, "spark.memory.offHeap.size", "0", 1)
            : 0;
    long pyspark = given(profile.pyspark, "spark.executor.pyspark.memory", "0", MIB);
    long overhead = container ? overhead(heap) : 0;
    if (heap < 0 || offHeap < 0 || pyspark < 0 || overhead < 0) {
      return UNKNOWN;
    }
    return Math.min(MAX_MIB, heap + offHeap + pyspark + overhead);
  }

  private long overhead(long heap) {
    String old = text("spark.yarn.executor.memoryOverhead", null);
    String given = text("spark.executor.memoryOverhead", old);
    if (given != null || profile.overhead != ResourceProfile.UNSET) {
      return given(profile.overhead, "", given, MIB);
    }
    String factor =
        text(
            "spark.executor.memoryOverheadFactor",
            text("spark.kubernetes.memoryOverheadFactor", "0.1"));
    long least = size(text("spark.executor.minMemoryOverhead", "384"), MIB);
    try {
      long share = (long) (heap * Double.parseDouble(factor));
      return least < 0 || share > MAX_MIB ? UNKNOWN : Math.max(least, share);
    } catch (NumberFormatException e) {
      // Spark would not have started with it.
      return UNKNOWN;
    }
  }

  private String text(String key, String absent) {
    String value = conf.get(key);
    return value == null ? absent : value;
  }

  /** What the profile says, else the settings. */
  private long given(long ofProfile, String key, String absent, long unit) {
    if (ofProfile == ResourceProfile.UNSET) {
      return size(text(key, absent), unit);
    }
    return ofProfile >= 0 && ofProfile <= MAX_MIB ? ofProfile : UNKNOWN;
  }

  /**
   * In whole MiB.
   *
   * @param unit of a number without one, in bytes
   */
  private static long size(String text, long unit) {
    Matcher size = SIZE.matcher(text.trim().toLowerCase(Locale.ROOT));
    if (!size.matches()) {
      return UNKNOWN;
    }
    String letter = size.group(2);
    long factor = size.group(3).isEmpty() ? unit : 1;
    if (!letter.isEmpty()) {
      factor = 1L << (10 * (1 + UNITS.indexOf(letter)));
    }
    double bytes = (double) factor * Long.parseLong(size.group(1));
    double mib = Math.floor(bytes / MIB);
    return mib <= MAX_MIB ? (long) mib : UNKNOWN;
  }
}
