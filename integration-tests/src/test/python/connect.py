"""Two users of one Spark Connect server: what succeeds, fails in two ways, is tagged, and is stopped."""

import pathlib
import sys
import threading
import time

from pyspark.sql import SparkSession

port, traceparent, path, temporary = sys.argv[1:]


def session(user):
    return SparkSession.builder.remote(f"sc://127.0.0.1:{port}/;user_id={user}").create()


def fails(query):
    try:
        ann.sql(query).collect()
    except Exception as e:
        print("failed:", type(e).__name__)


ann = session("ann")
bob = session("bob")
print("session:", ann.session_id)
print("rows:", ann.range(0, 10, 1, 2).where("id <> 7").count())
ann.addTag("cell-1")
ann.sql("create table people using parquet as select id, 'secret' as name from range(0, 4, 1, 1)")
ann.removeTag("cell-1")
fails("select nothing from people")
fails("select assert_true(id < 2) from people")

bob.addTag("traceparent=" + traceparent)
print("called:", len(bob.table("people").collect()))
bob.clearTags()
bob.range(0, 5, 1, 1).write.parquet(path)

slow = bob.range(0, 4000, 1, 400).selectExpr(
    "java_method('java.io.File', 'createTempFile', 'running', '.row')",
    "java_method('java.lang.Thread', 'sleep', 10L)",
)


def fails_slowly():
    bob.addTag("slow")
    try:
        slow.collect()
    except Exception:
        print("stopped")


stopped = threading.Thread(target=fails_slowly)
stopped.start()
# Before its tasks run, threads of the server tell of its start and of its end in any order.
while not list(pathlib.Path(temporary).glob("running*")):
    time.sleep(0.1)
bob.interruptTag("slow")
stopped.join()
ann.stop()
bob.stop()
