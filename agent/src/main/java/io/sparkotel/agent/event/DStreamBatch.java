package io.sparkotel.agent.event;

import java.util.ArrayList;
import java.util.List;

/** {@code StreamingListenerBatchCompleted}, which live listeners get and no event log has. */
public final class DStreamBatch {

  /** More streams or output operations than a program has. */
  static final int MAX = 100;

  /** What an input stream gave to the batch. */
  public static final class Input {
    public final int streamId;
    public final long records;

    /** As the stream tells it, such as offsets; null where it tells nothing. */
    public final String description;

    public Input(int streamId, long records, String description) {
      this.streamId = streamId;
      this.records = records;
      this.description = description;
    }
  }

  /** An output operation of the batch. */
  public static final class Output {
    public final int id;

    /** Its short call site. */
    public final String name;

    /** Milliseconds; -1 where it was not told. */
    public final long duration;

    /** With its stack trace; null where it succeeded. */
    public final String failure;

    public Output(int id, String name, long duration, String failure) {
      this.id = id;
      this.name = name;
      this.duration = duration;
      this.failure = failure;
    }
  }

  /** Spark's name of the batch: when it was due, epoch milliseconds. */
  public long time;

  /** Epoch milliseconds; 0 where it was not told, as below. */
  public long start;

  public long end;

  /** Milliseconds; -1 where it was not told, as below. */
  public long schedulingDelay = -1;

  public long processingDelay = -1;
  public long totalDelay = -1;
  public long records = -1;
  public final List<Input> inputs = new ArrayList<>(1);
  public final List<Output> outputs = new ArrayList<>(1);

  public void add(Input input) {
    if (inputs.size() < MAX) {
      inputs.add(input);
    }
  }

  public void add(Output output) {
    if (outputs.size() < MAX) {
      outputs.add(output);
    }
  }

  /** The failed output operation of the lowest id; null where there is none. */
  public Output firstFailed() {
    Output first = null;
    for (Output output : outputs) {
      if (output.failure != null && (first == null || output.id < first.id)) {
        first = output;
      }
    }
    return first;
  }
}
