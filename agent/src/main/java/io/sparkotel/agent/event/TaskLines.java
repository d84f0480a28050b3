package io.sparkotel.agent.event;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Reads the lines that most of a log consists of, tasks' starts and ends, without a parser. */
final class TaskLines {

  private static final byte[] START = event("SparkListenerTaskStart");
  private static final byte[] END = event("SparkListenerTaskEnd");

  private final FieldOrder startOrder = FieldOrder.start();
  private final FieldOrder endOrder = FieldOrder.start();

  /** Null for a line of another event, and for one that takes a parser. */
  TaskStart start(byte[] line, int from, int to) throws IOException {
    if (!LineTrimmer.startsWith(line, from, to, START)) {
      return null;
    }
    PlainFields fields = new PlainFields(line, from + START.length, to, startOrder);
    TaskStart start = TaskJson.start(fields);
    return fields.isWhole() ? start : null;
  }

  /** Null for a line of another event, and for one that takes a parser. */
  TaskEnd end(byte[] line, int from, int to) throws IOException {
    if (!LineTrimmer.startsWith(line, from, to, END)) {
      return null;
    }
    PlainFields fields = new PlainFields(line, from + END.length, to, endOrder);
    TaskEnd end = TaskJson.end(fields);
    return fields.isWhole() ? end : null;
  }

  private static byte[] event(String name) {
    return ("{\"Event\":\"" + name + '"').getBytes(StandardCharsets.US_ASCII);
  }
}
