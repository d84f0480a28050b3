/**
 * The only code that imports Spark. It is defined once more for every class loader that holds a
 * Spark, by a {@link io.sparkotel.agent.SparkSideLoader}, and compiled against the oldest Spark
 * that is supported; what later ones changed is behind {@link
 * io.sparkotel.agent.spark.SparkCompat}.
 */
package io.sparkotel.agent.spark;
