package io.sparkotel.bootstrap;

import java.util.List;
import java.util.Map;

/**
 * What the replay behind its own class loader offers to the job that runs on Spark. Tasks and
 * results are bytes: only that side has the classes in them. On the driver the methods are called
 * in this order; on executors only {@link #run}.
 */
public interface ReplayEntry {

  /** What {@link #prepare} gives where the job has to go on. */
  int GO_ON = -1;

  /**
   * Reads the job's arguments and the settings, and tells what is wrong with them.
   *
   * @param sparkConf all of it
   * @return the exit code to end with at once, or {@link #GO_ON}
   */
  int prepare(String[] arguments, Map<String, String> sparkConf);

  /** Keys and values that the SparkConf has to have before there is a SparkContext. */
  Map<String, String> sparkConf();

  /** One for each application that is to be sent; what cannot be found is told. */
  List<byte[]> tasks(ReplayFiles files);

  /** Replays one application; whatever goes wrong is in the result. From any thread. */
  byte[] run(byte[] task, ReplayFiles files);

  /**
   * Prints the table and what failed.
   *
   * @param results in any order; a task without one counts as failed
   * @return the exit code
   */
  int end(List<byte[]> results);
}
