package io.sparkotel.scenarios;

import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;

/**
 * Serves two callers at once, one with an RDD action and one with a query, then nobody. The
 * arguments are their traceparents.
 */
public final class CalledActions {

  private CalledActions() {}

  public static void main(String[] args) throws InterruptedException {
    SparkConf conf = new SparkConf().setAppName("called actions");
    conf.set("spark.sql.adaptive.enabled", "false");
    SparkSession spark = SparkSession.builder().config(conf).getOrCreate();
    JavaSparkContext sc = JavaSparkContext.fromSparkContext(spark.sparkContext());
    CountDownLatch both = new CountDownLatch(2);
    Thread rdd = new Thread(() -> serve(sc, args[0], "t1", both, () -> rows(sc)));
    Thread sql = new Thread(() -> serve(sc, args[1], "t2", both, () -> query(spark)));
    rdd.start();
    sql.start();
    rdd.join();
    sql.join();
    rows(sc);
    spark.conf().set("spark.otel.attributes.acme.session", "s1");
    query(spark);
    spark.stop();
  }

  private static void serve(
      JavaSparkContext sc, String caller, String tenant, CountDownLatch both, Runnable action) {
    sc.setLocalProperty("traceparent", caller);
    sc.setLocalProperty("spark.otel.attributes.acme.tenant", tenant);
    both.countDown();
    try {
      both.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    action.run();
  }

  private static void rows(JavaSparkContext sc) {
    JavaRDD<Integer> numbers = sc.parallelize(Arrays.asList(1, 2, 3), 2);
    System.out.println("rows: " + numbers.map(n -> n + 1).count());
  }

  /** The job of the broadcast runs in a thread of Spark's, and is the first one. */
  private static void query(SparkSession spark) {
    Dataset<Long> few = spark.range(0, 10, 1, 1);
    Dataset<Long> many = spark.range(0, 100, 1, 2);
    int found = many.join(functions.broadcast(few), "id").collectAsList().size();
    System.out.println("found: " + found);
  }
}
