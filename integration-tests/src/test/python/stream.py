"""A streaming query whose second batch fails in the function that gets it."""

import pathlib
import sys

from pyspark.sql import SparkSession

directory = pathlib.Path(sys.argv[1])
spark = SparkSession.builder.appName("python stream").getOrCreate()


def publish(rows, batch):
    count = rows.count()
    if batch == 1:
        raise ValueError(f"batch {batch} has {count} rows")
    print(f"batch {batch}: {count}")


def write(name):
    # A file that is there at once.
    (directory / name).write_text(name + "\n")
    (directory / name).rename(directory / "input" / name)


(directory / "input").mkdir(parents=True)
query = (
    spark.readStream.text(str(directory / "input"))
    .writeStream.queryName("words")
    .option("checkpointLocation", str(directory / "checkpoint"))
    .foreachBatch(publish)
    .start()
)
write("first")
query.processAllAvailable()
write("second")
try:
    query.awaitTermination()
except Exception as e:
    print("failed:", type(e).__name__)
spark.stop()
