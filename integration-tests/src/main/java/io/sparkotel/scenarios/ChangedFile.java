package io.sparkotel.scenarios;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * Does something to a file ({@code delete} or {@code overwrite}) before its SparkContext is made,
 * or after it ({@code early} or {@code late}), then runs a job. Arguments: what, when, the file.
 */
public final class ChangedFile {

  private ChangedFile() {}

  public static void main(String[] args) throws IOException {
    boolean early = args[1].equals("early");
    if (early) {
      change(args[0], Paths.get(args[2]));
    }
    JavaSparkContext sc = new JavaSparkContext(new SparkConf().setAppName("changed file"));
    if (!early) {
      change(args[0], Paths.get(args[2]));
    }
    System.out.println("count: " + sc.parallelize(Arrays.asList(1, 2, 3), 1).count());
    sc.stop();
  }

  private static void change(String how, Path file) throws IOException {
    if (how.equals("delete")) {
      Files.delete(file);
    } else {
      Files.write(file, new byte[(int) Files.size(file)]);
    }
  }
}
