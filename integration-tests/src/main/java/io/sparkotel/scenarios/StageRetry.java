package io.sparkotel.scenarios;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.SparkConf;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/**
 * A real fetch failure: the result task, at the stage's first attempt, deletes the shuffle files
 * before it reads them. Stage 0 (map) and stage 1 (result) run twice each, with one task each.
 * Needs local mode and {@code SPARK_LOCAL_DIRS} set to a directory of this run alone.
 */
public final class StageRetry {

  private StageRetry() {}

  public static void main(String[] args) {
    String localDir = System.getenv("SPARK_LOCAL_DIRS");
    JavaSparkContext sc = new JavaSparkContext(new SparkConf().setAppName("stage retry"));
    JavaRDD<Integer> keys =
        sc.parallelize(Arrays.asList(1, 2, 3, 4), 1)
            .mapToPair(number -> new Tuple2<>(number % 2, number))
            .reduceByKey(Integer::sum, 1)
            .keys();
    // Zipped partitions are opened from the left: this one before the shuffle is read.
    JavaRDD<Integer> saboteur =
        sc.parallelize(Arrays.asList(0), 1)
            .mapPartitions(
                rows -> {
                  if (TaskContext.get().stageAttemptNumber() == 0) {
                    deleteShuffleFiles(Paths.get(localDir));
                  }
                  return rows;
                });
    long rows = saboteur.zipPartitions(keys, (left, right) -> right).count();
    System.out.println("count: " + rows);
    sc.stop();
  }

  private static void deleteShuffleFiles(Path dir) throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.walk(dir)) {
      files =
          all.filter(file -> file.getFileName().toString().startsWith("shuffle_"))
              .collect(Collectors.toList());
    }
    if (files.isEmpty()) {
      throw new IllegalStateException("no shuffle files in " + dir);
    }
    for (Path file : files) {
      Files.delete(file);
    }
  }
}
