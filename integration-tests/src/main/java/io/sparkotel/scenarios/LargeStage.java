package io.sparkotel.scenarios;

import java.util.Collections;
import org.apache.spark.SparkConf;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * A stage of 150 tasks, of which the one of partition 75 fails at its first attempt. Needs a master
 * that retries, local[2,3].
 */
public final class LargeStage {

  private static final int TASKS = 150;

  private LargeStage() {}

  public static void main(String[] args) {
    JavaSparkContext sc = new JavaSparkContext(new SparkConf().setAppName("large stage"));
    long rows =
        sc.parallelize(Collections.nCopies(TASKS, 1), TASKS)
            .map(
                number -> {
                  TaskContext task = TaskContext.get();
                  if (task.partitionId() == TASKS / 2 && task.attemptNumber() == 0) {
                    throw new IllegalStateException("fails once");
                  }
                  return number;
                })
            .count();
    System.out.println("count: " + rows);
    sc.stop();
  }
}
