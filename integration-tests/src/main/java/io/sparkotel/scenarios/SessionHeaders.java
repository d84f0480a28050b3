package io.sparkotel.scenarios;

import org.apache.spark.sql.SparkSession;

/** A query of a session that was given the headers of the exporter. */
public final class SessionHeaders {

  private SessionHeaders() {}

  public static void main(String[] args) {
    SparkSession spark =
        SparkSession.builder()
            .appName("session headers")
            .config("spark.otel.exporter.otlp.headers", "Authorization=Bearer%20sesame1")
            .getOrCreate();
    System.out.println("rows: " + spark.sql("SELECT id FROM range(3)").collectAsList().size());
    spark.stop();
  }
}
