#!/bin/sh

# An entry point in front of the one of a Spark image. The driver gets the agent if its jar can be read,
# and starts as ever if it cannot; everything else that the image starts is left alone. What to change: the
# two paths, absolute, without spaces.

spark_otel_jar=/opt/spark-otel/spark-otel-agent.jar
if [ -f "$spark_otel_jar" ] && [ -r "$spark_otel_jar" ]; then
  export SPARK_SUBMIT_OPTS="${SPARK_SUBMIT_OPTS:-} -javaagent:$spark_otel_jar"
fi
unset spark_otel_jar

exec /opt/entrypoint.sh "$@"
