package io.sparkotel.agent.event;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/** Splits an event log into lines and has each one parsed; counts what is wrong and goes on. */
public final class EventLogReader {

  /** A longer line is passed over: no event that is read comes near. */
  static final int MAX_LINE_BYTES = 256 << 20;

  private static final int CHUNK_BYTES = 1 << 18;

  private final EventLogParser parser;
  private final LineTrimmer trimmer = new LineTrimmer();
  private byte[] buffer = new byte[2 * CHUNK_BYTES];
  private long events;
  private long badLines;
  private long bytes;
  private String firstProblem;

  public EventLogReader(EventLogParser parser) {
    this.parser = parser;
  }

  /** Events read, unknown ones included. */
  public long events() {
    return events;
  }

  /** Lines that are no event. */
  public long badLines() {
    return badLines;
  }

  /** Bytes of the log, uncompressed. */
  public long bytes() {
    return bytes;
  }

  /** What was wrong with the first bad line, with its number, or null. */
  public String firstProblem() {
    return firstProblem;
  }

  /**
   * Reads to the end of the stream. A last line without its newline is read where it is whole.
   *
   * @throws IOException where the stream breaks off; what came before has been read
   */
  public void read(InputStream in) throws IOException {
    int start = 0;
    int end = 0;
    boolean skipping = false;
    try {
      while (true) {
        if (end == buffer.length) {
          if (start > 0) {
            System.arraycopy(buffer, start, buffer, 0, end - start);
            end -= start;
            start = 0;
          } else if (buffer.length >= MAX_LINE_BYTES) {
            skipping = true;
            end = 0;
          } else {
            buffer = Arrays.copyOf(buffer, 2 * buffer.length);
          }
        }
        int count = in.read(buffer, end, Math.min(CHUNK_BYTES, buffer.length - end));
        if (count < 0) {
          break;
        }
        bytes += count;
        int scan = end;
        end += count;
        for (int newline = newline(scan, end); newline >= 0; newline = newline(scan, end)) {
          if (skipping) {
            bad("a line of more than " + MAX_LINE_BYTES + " bytes");
            skipping = false;
          } else {
            line(start, newline);
          }
          start = newline + 1;
          scan = start;
        }
        if (start == end) {
          start = 0;
          end = 0;
        }
      }
    } finally {
      if (end > start && !skipping) {
        line(start, end);
      }
    }
  }

  private int newline(int from, int to) {
    for (int i = from; i < to; i++) {
      if (buffer[i] == '\n') {
        return i;
      }
    }
    return -1;
  }

  private void line(int from, int to) {
    int end = to;
    while (end > from && buffer[end - 1] <= ' ' && buffer[end - 1] >= 0) {
      end--;
    }
    if (end == from) {
      return;
    }
    try {
      trimmer.trim(buffer, from, end);
      if (parser.parse(trimmer.buffer(), 0, trimmer.length())) {
        events++;
      } else {
        bad("JSON without an event");
      }
    } catch (IOException | RuntimeException e) {
      bad(e instanceof IOException ? "not JSON" : e.toString());
    }
  }

  private void bad(String problem) {
    badLines++;
    if (firstProblem == null) {
      firstProblem = "line " + (events + badLines) + ": " + problem;
    }
  }
}
