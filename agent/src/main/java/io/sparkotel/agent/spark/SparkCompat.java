package io.sparkotel.agent.spark;

import io.sparkotel.agent.event.ResourceProfile;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.util.function.Consumer;
import org.apache.spark.scheduler.SparkListenerApplicationEnd;
import org.apache.spark.scheduler.SparkListenerEnvironmentUpdate;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.scheduler.StageInfo;
import org.apache.spark.scheduler.TaskInfo;
import scala.Option;
import scala.collection.Iterable;
import scala.collection.Iterator;

/**
 * What differs between Spark and Scala versions, by method handles that are looked up once: an
 * accessor that a version lacks gives null, and a Scala collection is walked by its oldest types.
 */
final class SparkCompat {

  private static final MethodHandle STAGE_INFOS = handle(SparkListenerJobStart.class, "stageInfos");
  private static final MethodHandle STAGE_PARENT_IDS = handle(StageInfo.class, "parentIds");
  private static final MethodHandle ENVIRONMENT =
      handle(SparkListenerEnvironmentUpdate.class, "environmentDetails");
  private static final MethodHandle EXIT_CODE =
      handle(SparkListenerApplicationEnd.class, "exitCode");
  private static final MethodHandle PARTITION_ID = intHandle(TaskInfo.class, "partitionId");
  private static final MethodHandle STAGE_PROFILE = handle(StageInfo.class, "resourceProfileId");

  private SparkCompat() {}

  static Object stageInfos(SparkListenerJobStart event) {
    return call(STAGE_INFOS, event);
  }

  static Object parentIds(StageInfo stage) {
    return call(STAGE_PARENT_IDS, stage);
  }

  /** The default one before Spark 3.1. */
  static int profileId(StageInfo stage) {
    return number(call(STAGE_PROFILE, stage), ResourceProfile.DEFAULT_ID).intValue();
  }

  /** A number that an accessor gave, or another one where the version has none. */
  static Number number(Object value, Number absent) {
    return value == null ? absent : (Number) value;
  }

  static Object environmentDetails(SparkListenerEnvironmentUpdate event) {
    return call(ENVIRONMENT, event);
  }

  /** Null before Spark 4.0. */
  static Integer exitCode(SparkListenerApplicationEnd event) {
    Object code = unwrap(call(EXIT_CODE, event));
    return code == null ? null : ((Number) code).intValue();
  }

  /** The index before Spark 3.3; -1 is Spark's "unknown", of logs that older ones wrote. */
  static int partition(TaskInfo task) {
    if (PARTITION_ID == null) {
      return task.index();
    }
    try {
      int partition = (int) PARTITION_ID.invokeExact(task);
      return partition < 0 ? task.index() : partition;
    } catch (Throwable e) {
      throw rethrow(e);
    }
  }

  /** A class of Spark's, or null where this version has none of that name. */
  static Class<?> find(String name) {
    try {
      return Class.forName(name, false, SparkCompat.class.getClassLoader());
    } catch (ClassNotFoundException e) {
      // Absent, as all that is asked of it.
      return null;
    }
  }

  /**
   * An accessor of no arguments as {@code (Object)Object}, or null where there is no class or it
   * lacks the accessor.
   */
  static MethodHandle handle(Class<?> owner, String name) {
    if (owner == null) {
      return null;
    }
    try {
      Method method = owner.getMethod(name);
      return MethodHandles.publicLookup()
          .unreflect(method)
          .asType(MethodType.methodType(Object.class, Object.class));
    } catch (NoSuchMethodException | IllegalAccessException e) {
      // This version has no such accessor: absent.
      return null;
    }
  }

  private static MethodHandle intHandle(Class<?> owner, String name) {
    return handle(owner, name, int.class);
  }

  /** An accessor of no arguments with its exact type, or null where the class lacks it. */
  static MethodHandle handle(Class<?> owner, String name, Class<?> result) {
    try {
      return MethodHandles.publicLookup().findVirtual(owner, name, MethodType.methodType(result));
    } catch (NoSuchMethodException | IllegalAccessException e) {
      // This version has no such accessor: absent.
      return null;
    }
  }

  /** The result of an accessor of {@link #handle(Class, String)}; null where it is absent. */
  static Object call(MethodHandle handle, Object target) {
    if (handle == null) {
      return null;
    }
    try {
      return handle.invokeExact(target);
    } catch (Throwable e) {
      throw rethrow(e);
    }
  }

  /** The content of an Option, or the value itself; null for None. */
  static Object unwrap(Object value) {
    if (value instanceof Option) {
      Option<?> option = (Option<?>) value;
      return option.isDefined() ? option.get() : null;
    }
    return value;
  }

  /** Walks a Scala collection of either Scala version; null is empty. */
  static void forEach(Object collection, Consumer<Object> consumer) {
    if (collection == null) {
      return;
    }
    Iterator<?> iterator = ((Iterable<?>) collection).iterator();
    while (iterator.hasNext()) {
      consumer.accept(iterator.next());
    }
  }

  @SuppressWarnings("unchecked")
  static <E extends Throwable> RuntimeException rethrow(Throwable e) throws E {
    throw (E) e;
  }
}
