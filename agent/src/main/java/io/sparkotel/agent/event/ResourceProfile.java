package io.sparkotel.agent.event;

/**
 * {@code SparkListenerResourceProfileAdded}, Spark 3.1 and later: what executors and tasks are to
 * have. {@link #UNSET} is what the profile leaves to the settings. Sizes are in MiB.
 */
public final class ResourceProfile {

  /** The id of the profile that is made of the settings. */
  public static final int DEFAULT_ID = 0;

  public static final long UNSET = -1;

  public int id;
  public long heap = UNSET;
  public long offHeap = UNSET;
  public long overhead = UNSET;
  public long pyspark = UNSET;
  public long taskCpus = UNSET;

  /** Takes note of an amount by Spark's name of the resource. */
  public void executorResource(String name, long amount) {
    switch (name) {
      case "memory":
        heap = amount;
        break;
      case "offHeap":
        offHeap = amount;
        break;
      case "memoryOverhead":
        overhead = amount;
        break;
      case "pyspark.memory":
        pyspark = amount;
        break;
      default:
        // Cores are told of each executor; others, such as GPUs, are not looked at.
    }
  }

  /** Takes note of an amount by Spark's name of the resource. */
  public void taskResource(String name, long amount) {
    if (name.equals("cpus")) {
      taskCpus = amount;
    }
  }
}
