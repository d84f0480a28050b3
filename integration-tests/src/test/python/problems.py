"""A Python function that is called for every row, then a row that it cannot do."""

import time

from pyspark.sql import SparkSession
from pyspark.sql.functions import udf

RATES = {"EUR": 1.0, "USD": 0.92}


def in_euro(amount, currency):
    time.sleep(0.001)
    return amount * RATES[currency]


spark = SparkSession.builder.appName("currency report").getOrCreate()
convert = udf(in_euro, "double")
payments = spark.range(0, 2000, 1, 2).selectExpr(
    "id AS amount", "IF(id % 2 = 0, 'EUR', 'USD') AS currency"
)
print("rows:", len(payments.select(convert("amount", "currency")).collect()))
payments = payments.coalesce(1).selectExpr("amount", "IF(amount = 999, 'CHF', currency) AS currency")
print("rows:", len(payments.select(convert("amount", "currency")).collect()))
