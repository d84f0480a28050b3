"""A query and a job with a Python function; then ends as the first argument says. Further
arguments, key=value, are settings of the builder."""

import sys
import time

from pyspark.sql import SparkSession

how = sys.argv[1]
builder = SparkSession.builder.appName("python report")
for setting in sys.argv[2:]:
    builder = builder.config(*setting.split("=", 1))
spark = builder.getOrCreate()
sc = spark.sparkContext
print("total:", spark.range(0, 5, 1, 1).selectExpr("sum(id)").collect()[0][0])
print("words:", sc.parallelize(["a", "b"], 1).map(lambda word: word * 2).collect(), flush=True)

if how == "flags":
    runtime = sc._jvm.java.lang.management.ManagementFactory.getRuntimeMXBean()
    flags = list(runtime.getInputArguments())
    print("agents:", sum(flag.startswith("-javaagent:") for flag in flags))
    print("own:", [flag for flag in flags if flag.startswith(("-Du=", "-Dv="))])
    spark.stop()
elif how == "raises":
    try:
        sc.parallelize([1, 0], 1).map(lambda number: 1 // number).collect()
    except Exception as e:
        print("handled:", "ZeroDivisionError" in str(e))
    raise ValueError("the report is empty")
elif how == "exits":
    sys.exit(3)
elif how == "again":
    spark.stop()
    spark.stop()
    second = SparkSession.builder.appName("second report").getOrCreate()
    print("count:", second.sparkContext.parallelize([1, 2, 3], 2).count())
elif how == "waits":
    print("waiting", flush=True)
    time.sleep(600)
