package io.sparkotel.agent.spark;

import io.sparkotel.agent.event.ResourceProfile;
import java.lang.invoke.MethodHandle;
import java.util.function.ObjLongConsumer;
import scala.Tuple2;

/** Reads resource profiles, which Spark has from 3.1 on. */
final class ResourceProfiles {

  private static final Class<?> EVENT =
      SparkCompat.find("org.apache.spark.scheduler.SparkListenerResourceProfileAdded");
  private static final MethodHandle PROFILE = SparkCompat.handle(EVENT, "resourceProfile");
  private static final Class<?> PROFILE_CLASS =
      SparkCompat.find("org.apache.spark.resource.ResourceProfile");
  private static final MethodHandle ID = SparkCompat.handle(PROFILE_CLASS, "id");
  private static final MethodHandle EXECUTOR_RESOURCES =
      SparkCompat.handle(PROFILE_CLASS, "executorResources");
  private static final MethodHandle TASK_RESOURCES =
      SparkCompat.handle(PROFILE_CLASS, "taskResources");
  private static final MethodHandle EXECUTOR_AMOUNT =
      SparkCompat.handle(
          SparkCompat.find("org.apache.spark.resource.ExecutorResourceRequest"), "amount");
  private static final MethodHandle TASK_AMOUNT =
      SparkCompat.handle(
          SparkCompat.find("org.apache.spark.resource.TaskResourceRequest"), "amount");

  private ResourceProfiles() {}

  /** Whether it is an event that tells of one. */
  static boolean isEvent(Object event) {
    return PROFILE != null && ID != null && EVENT.isInstance(event);
  }

  /** That such an event tells of. */
  static ResourceProfile of(Object event) {
    Object from = SparkCompat.call(PROFILE, event);
    ResourceProfile profile = new ResourceProfile();
    profile.id = (Integer) SparkCompat.call(ID, from);
    forEach(
        SparkCompat.call(EXECUTOR_RESOURCES, from),
        EXECUTOR_AMOUNT,
        (name, amount) -> profile.executorResource((String) name, amount));
    forEach(
        SparkCompat.call(TASK_RESOURCES, from),
        TASK_AMOUNT,
        (name, amount) -> profile.taskResource((String) name, amount));
    return profile;
  }

  private static void forEach(Object requests, MethodHandle amount, ObjLongConsumer<Object> to) {
    if (amount == null) {
      return;
    }
    SparkCompat.forEach(
        requests,
        entry -> {
          Tuple2<?, ?> request = (Tuple2<?, ?>) entry;
          to.accept(request._1(), ((Number) SparkCompat.call(amount, request._2())).longValue());
        });
  }
}
