"""One query for each way in which Spark SQL runs Python, the last of which fails."""

import pandas as pd
from pyspark.sql import SparkSession
from pyspark.sql.functions import col, lit, pandas_udf, udf, udtf

spark = SparkSession.builder.appName("python functions").getOrCreate()


@udf("long")
def twice(number):
    return number * 2


@udf("long", useArrow=True)
def thrice(number):
    return number * 3


@pandas_udf("long")
def four_times(numbers: pd.Series) -> pd.Series:
    return numbers * 4


@pandas_udf("double")
def mean(numbers: pd.Series) -> float:
    return numbers.mean()


@udtf(returnType="number: bigint")
class UpTo:
    def eval(self, end: int):
        for number in range(end):
            yield (number,)


def odd(batches):
    for batch in batches:
        yield batch[batch.id % 2 == 1]


def same(batches):
    yield from batches


def first(group: pd.DataFrame) -> pd.DataFrame:
    return group.head(1)


@pandas_udf("long")
def broken(numbers: pd.Series) -> pd.Series:
    raise ValueError("no number is good enough")

ten = spark.range(0, 10, 1, 1)
halves = spark.range(0, 10, 1, 2).select(twice("id").alias("x"))
print("udf:", len(ten.select(twice("id").alias("x")).collect()))
print("arrow:", len(ten.select(thrice("id").alias("x")).collect()))
print("pandas:", len(ten.select(four_times("id").alias("x")).collect()))
print("mixed:", halves.select(four_times("x").alias("y")).collect()[9][0])
print("aggregate:", len(ten.groupBy((col("id") % 2).alias("odd")).agg(mean("id")).collect()))
print("mapInPandas:", len(ten.mapInPandas(odd, "id long").collect()))
print("mapInArrow:", len(ten.mapInArrow(same, "id long").collect()))
print("applyInPandas:", len(ten.groupBy(ten.id % 3).applyInPandas(first, "id long").collect()))
print("udtf:", len(UpTo(lit(4)).collect()))
try:
    ten.select(broken("id").alias("x")).collect()
except Exception as e:
    print("broken:", "no number is good enough" in str(e))
spark.stop()
