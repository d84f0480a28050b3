package io.sparkotel.scenarios;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * Tries to load the classes that a file names, one a line, from every class loader that an
 * application can come by: in main, and in a task. Prints the names that it could load.
 */
public final class LoadByName {

  private LoadByName() {}

  public static void main(String[] args) throws IOException {
    JavaSparkContext sc = new JavaSparkContext(new SparkConf().setAppName("load by name"));
    List<String> files = Arrays.asList(args[0]);
    System.out.println("in a task: " + sc.parallelize(files, 1).map(LoadByName::loadable).first());
    System.out.println("in main: " + loadable(args[0]));
    sc.stop();
  }

  private static String loadable(String file) throws IOException {
    List<String> names = Files.readAllLines(Paths.get(file));
    List<ClassLoader> loaders =
        Stream.of(
                LoadByName.class.getClassLoader(),
                Thread.currentThread().getContextClassLoader(),
                ClassLoader.getSystemClassLoader(),
                SparkContext.class.getClassLoader())
            .filter(Objects::nonNull)
            .distinct()
            .collect(Collectors.toList());
    List<String> loaded = new ArrayList<>();
    for (String name : names) {
      if (loaders.stream().anyMatch(loader -> canLoad(name, loader))) {
        loaded.add(name);
      }
    }
    return loaded + " of " + names.size();
  }

  private static boolean canLoad(String name, ClassLoader loader) {
    try {
      Class.forName(name, false, loader);
      return true;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }
}
