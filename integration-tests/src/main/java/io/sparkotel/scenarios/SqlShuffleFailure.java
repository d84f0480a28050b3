package io.sparkotel.scenarios;

import java.util.Arrays;
import java.util.List;
import org.apache.spark.SparkException;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import scala.Tuple2;

/**
 * A query with a shuffle, an RDD job with a shuffle, and a job that fails and is handled; on every
 * Spark the same jobs, stages and tasks, where adaptive execution is off.
 */
public final class SqlShuffleFailure {

  private SqlShuffleFailure() {}

  public static void main(String[] args) {
    SparkSession spark = SparkSession.builder().appName("sql, shuffle, failure").getOrCreate();
    List<Row> rows =
        spark.range(0, 1000, 1, 3).groupBy(functions.expr("id % 10")).count().collectAsList();
    System.out.println("rows: " + rows.size());

    JavaSparkContext sc = new JavaSparkContext(spark.sparkContext());
    long keys =
        sc.parallelize(Arrays.asList(1, 2, 3, 4, 5, 6, 7, 8), 4)
            .mapToPair(number -> new Tuple2<>(number % 3, number))
            .reduceByKey(Integer::sum, 2)
            .count();
    System.out.println("keys: " + keys);

    try {
      sc.parallelize(Arrays.asList(1, 2, 3), 1)
          .foreach(
              number -> {
                if (number == 3) {
                  throw new IllegalArgumentException("bad record " + number);
                }
              });
    } catch (Exception e) {
      System.out.println("handled: " + (e instanceof SparkException));
    }
    spark.stop();
  }
}
