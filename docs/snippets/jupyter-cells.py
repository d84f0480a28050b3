# A job group for each run of a cell. Copy this file into ~/.ipython/profile_default/startup/ of those
# who run kernels, and set spark.otel.trace.unit to group where the application has a name of its own.
import itertools
import sys

from IPython import get_ipython

_runs = itertools.count(1)


def _spark_job_group(cell):
    run = next(_runs)
    # Nothing is imported: a kernel that does not use Spark pays nothing.
    spark_context = getattr(sys.modules.get("pyspark"), "SparkContext", None)
    context = getattr(spark_context, "_active_spark_context", None)
    if context is not None:
        code = cell.raw_cell.strip().split("\n", 1)[0]
        context.setJobGroup(f"cell-{run}", code[:200])


get_ipython().events.register("pre_run_cell", _spark_job_group)
