package io.sparkotel.replay;

import io.sparkotel.bootstrap.AgentClassLoader;
import io.sparkotel.bootstrap.ReplayEntry;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.VoidFunction;
import org.apache.spark.util.CollectionAccumulator;
import scala.Tuple2;

/**
 * Replays event logs on Spark, one application a task: {@code spark-submit --class
 * io.sparkotel.replay.ReplayJob spark-otel-agent.jar PATH...}. Logs are read through Hadoop's file
 * systems. Uses of Spark's interfaces what is the same in all its versions, in Scala 2.12 and 2.13,
 * and is loaded by spark-submit and nothing else.
 */
public final class ReplayJob {

  private ReplayJob() {}

  /** Exits with 1 where a log failed and with 2 where an option is wrong. */
  public static void main(String[] arguments) throws Exception {
    int code = run(arguments);
    // YARN takes every exit, even one with 0, for a failure.
    if (code != 0) {
      System.exit(code);
    }
  }

  private static int run(String[] arguments) throws Exception {
    SparkConf conf = new SparkConf().setIfMissing("spark.app.name", "spark-otel-agent replay");
    // Two copies of a task would send twice.
    conf.set("spark.speculation", "false");
    Map<String, String> all = new HashMap<>();
    for (Tuple2<String, String> entry : conf.getAll()) {
      all.put(entry._1(), entry._2());
    }
    ReplayEntry replay = AgentClassLoader.loadReplay();
    int code = replay.prepare(arguments, all);
    if (code != ReplayEntry.GO_ON) {
      return code;
    }
    replay.sparkConf().forEach(conf::set);
    try (JavaSparkContext spark = new JavaSparkContext(conf)) {
      HadoopFiles files = new HadoopFiles(spark.hadoopConfiguration());
      List<byte[]> tasks = replay.tasks(files);
      // Unlike a collected RDD it keeps what was done before a job that failed.
      CollectionAccumulator<byte[]> results = spark.sc().collectionAccumulator();
      if (!tasks.isEmpty()) {
        try {
          spark.parallelize(tasks, tasks.size()).foreach(new RunTask(files, results));
        } catch (Exception e) {
          System.err.println("the job on Spark failed: " + e.getMessage());
        }
      }
      return replay.end(results.value());
    }
  }

  private static final class RunTask implements VoidFunction<byte[]> {
    private static final long serialVersionUID = 1;

    private static ReplayEntry replay;

    private final HadoopFiles files;
    private final CollectionAccumulator<byte[]> results;

    RunTask(HadoopFiles files, CollectionAccumulator<byte[]> results) {
      this.files = files;
      this.results = results;
    }

    /** One loader for all tasks of a JVM. */
    private static synchronized ReplayEntry replay() throws Exception {
      if (replay == null) {
        replay = AgentClassLoader.loadReplay();
      }
      return replay;
    }

    @Override
    public void call(byte[] task) throws Exception {
      results.add(replay().run(task, files));
    }
  }
}
