"""Users of one Spark Connect server: what succeeds, fails in two ways, is tagged, is stopped, has a caller."""

import pathlib
import sys
import threading
import time

from opentelemetry import trace
from opentelemetry.instrumentation.grpc import GrpcInstrumentorClient
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from pyspark.sql import SparkSession

port, traceparent, path, temporary = sys.argv[1:]
operations = set()


def remember(operation_id, **progress):
    # The client of 4.2 learns it from an answer that tells of progress, if there is one.
    if operation_id:
        operations.add(operation_id)


def session(user, more=""):
    made = SparkSession.builder.remote(f"sc://127.0.0.1:{port}/;user_id={user}{more}").create()
    made.registerProgressHandler(remember)
    return made


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

# One task: the other core is for others.
slow = bob.range(0, 12000, 1, 1).selectExpr(
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
# While bob's runs.
fails("select assert_true(id < 3) from people")
bob.interruptTag("slow")
stopped.join()

carl = session("carl", ";traceparent=" + traceparent.replace("4736-", "4737-"))
print("header:", len(carl.range(0, 2, 1, 1).collect()))
carl.addTag("traceparent=" + traceparent.replace("4736-", "4738-"))
print("header and tag:", len(carl.range(0, 3, 1, 1).collect()))
carl.stop()


class Calls(SpanProcessor):
    """Prints the client's span of the call that asks for an operation."""

    def on_start(self, span, parent_context=None):
        if span.name.endswith("/ExecutePlan"):
            print(f"call: {span.context.trace_id:032x} {span.context.span_id:016x}")


# A service that is traced by OpenTelemetry: nobody names a caller to Spark.
service = TracerProvider()
service.add_span_processor(Calls())
trace.set_tracer_provider(service)
GrpcInstrumentorClient().instrument()
dora = session("dora")
with service.get_tracer("service").start_as_current_span("request"):
    print("traced:", len(dora.range(0, 4, 1, 1).collect()))
dora.stop()
ann.stop()
bob.stop()
print("operations:", *sorted(operations))
