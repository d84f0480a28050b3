package io.sparkotel.scenarios;

import java.util.Arrays;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * Jobs with a group and description, with a description alone, with tags (Spark 3.5+), with none.
 */
public final class JobGroups {

  private JobGroups() {}

  public static void main(String[] args) throws ReflectiveOperationException {
    JavaSparkContext sc = new JavaSparkContext(new SparkConf().setAppName("job groups"));
    JavaRDD<Integer> numbers = sc.parallelize(Arrays.asList(1, 2, 3), 1);
    sc.setJobGroup("nightly", "load of the night");
    numbers.count();
    sc.clearJobGroup();
    sc.setJobDescription("only described");
    numbers.count();
    sc.setJobDescription(null);
    System.out.println("tagged: " + tag(sc.sc(), "addJobTag"));
    numbers.count();
    tag(sc.sc(), "removeJobTag");
    numbers.count();
    sc.stop();
  }

  /** False where this Spark has no tags. */
  private static boolean tag(SparkContext context, String method)
      throws ReflectiveOperationException {
    if (Arrays.stream(SparkContext.class.getMethods()).noneMatch(m -> m.getName().equals(method))) {
      return false;
    }
    SparkContext.class.getMethod(method, String.class).invoke(context, "team-a");
    return true;
  }
}
