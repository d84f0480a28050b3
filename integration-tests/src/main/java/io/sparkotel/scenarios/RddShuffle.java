package io.sparkotel.scenarios;

import java.util.Arrays;
import org.apache.spark.SparkConf;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/**
 * Two RDD jobs over one shuffle. The first task of the first stage fails at its first attempt
 * (needs a master that retries, local[2,3]); the second job skips the map stage.
 */
public final class RddShuffle {

  private RddShuffle() {}

  public static void main(String[] args) {
    JavaSparkContext sc = new JavaSparkContext(new SparkConf().setAppName("rdd shuffle"));
    JavaPairRDD<Integer, Integer> sums =
        sc.parallelize(Arrays.asList(1, 2, 3, 4, 5, 6, 7, 8), 2)
            .mapToPair(
                number -> {
                  TaskContext task = TaskContext.get();
                  if (task.partitionId() == 0 && task.attemptNumber() == 0) {
                    throw new IllegalStateException("fails once");
                  }
                  return new Tuple2<>(number % 3, number);
                })
            .reduceByKey(Integer::sum, 2)
            .cache();
    System.out.println("keys: " + sums.count());
    System.out.println("sums: " + sums.collect().size());
    sc.stop();
  }
}
