#!/usr/bin/env bash

# Add this to the end of spark-env.sh. Every driver that Spark's scripts start here (spark-submit,
# spark-shell, spark-sql, pyspark, python app.py) gets the agent if its jar can be read, and starts as
# ever if it cannot. The one thing to change is the path: absolute, without spaces.

spark_otel_jar=/opt/spark-otel/spark-otel-agent.jar
if [ -f "$spark_otel_jar" ] && [ -r "$spark_otel_jar" ]; then
  export SPARK_SUBMIT_OPTS="${SPARK_SUBMIT_OPTS:-} -javaagent:$spark_otel_jar"
fi
unset spark_otel_jar
