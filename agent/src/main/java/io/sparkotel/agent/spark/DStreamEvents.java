package io.sparkotel.agent.spark;

import io.sparkotel.agent.event.DStreamBatch;
import io.sparkotel.agent.event.ReceiverError;
import io.sparkotel.agent.model.TraceModel;
import java.lang.invoke.MethodHandle;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import scala.Tuple2;

/**
 * Reads the events of DStreams, whose classes are in a module that most applications lack: by
 * accessors that are looked up once for each class.
 */
final class DStreamEvents {

  private static final String SCHEDULER = "org.apache.spark.streaming.scheduler.StreamingListener";

  /** Spark wraps them for the bus of all events, and keeps them from the event log. */
  private static final String WRAPPED = SCHEDULER + "Bus$WrappedStreamingListenerEvent";

  private static final ClassValue<Map<String, MethodHandle>> ACCESSORS =
      new ClassValue<Map<String, MethodHandle>>() {
        @Override
        protected Map<String, MethodHandle> computeValue(Class<?> type) {
          return new ConcurrentHashMap<>();
        }
      };

  private DStreamEvents() {}

  static boolean isEvent(Object event) {
    return event.getClass().getName().equals(WRAPPED);
  }

  static void dispatch(TraceModel model, Object wrapped) {
    Object event = get(wrapped, "streamingListenerEvent");
    if (event == null) {
      return;
    }
    switch (event.getClass().getName()) {
      case SCHEDULER + "BatchCompleted":
        model.dstreamBatch(batch(get(event, "batchInfo")));
        break;
      case SCHEDULER + "ReceiverError":
        model.receiverError(receiverError(get(event, "receiverInfo")));
        break;
      default:
    }
  }

  private static DStreamBatch batch(Object from) {
    DStreamBatch batch = new DStreamBatch();
    batch.time = number(get(from, "batchTime"), "milliseconds", 0);
    batch.start = number(from, "processingStartTime", 0);
    batch.end = number(from, "processingEndTime", 0);
    batch.schedulingDelay = number(from, "schedulingDelay", -1);
    batch.processingDelay = number(from, "processingDelay", -1);
    batch.totalDelay = number(from, "totalDelay", -1);
    batch.records = number(from, "numRecords", -1);
    SparkCompat.forEach(
        get(from, "streamIdToInputInfo"),
        entry -> {
          Object input = ((Tuple2<?, ?>) entry)._2();
          batch.add(
              new DStreamBatch.Input(
                  (int) number(input, "inputStreamId", -1),
                  number(input, "numRecords", 0),
                  (String) get(input, "metadataDescription")));
        });
    SparkCompat.forEach(
        get(from, "outputOperationInfos"),
        entry -> {
          Object output = ((Tuple2<?, ?>) entry)._2();
          batch.add(
              new DStreamBatch.Output(
                  (int) number(output, "id", -1),
                  (String) get(output, "name"),
                  number(output, "duration", -1),
                  (String) get(output, "failureReason")));
        });
    return batch;
  }

  private static ReceiverError receiverError(Object from) {
    return new ReceiverError(
        number(from, "lastErrorTime", 0),
        (String) get(from, "name"),
        (String) get(from, "lastErrorMessage"),
        (String) get(from, "lastError"));
  }

  private static long number(Object of, String name, long absent) {
    return SparkCompat.number((Number) get(of, name), absent).longValue();
  }

  /** What an accessor gives, or what is in its Option; null of null, and where there is none. */
  private static Object get(Object of, String name) {
    if (of == null) {
      return null;
    }
    Class<?> type = of.getClass();
    MethodHandle accessor =
        ACCESSORS.get(type).computeIfAbsent(name, key -> SparkCompat.handle(type, key));
    return SparkCompat.unwrap(SparkCompat.call(accessor, of));
  }
}
