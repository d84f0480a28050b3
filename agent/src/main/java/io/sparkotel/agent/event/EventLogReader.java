package io.sparkotel.agent.event;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.concurrent.CancellationException;

/** Splits an event log into lines and has each one parsed; counts what is wrong and goes on. */
public final class EventLogReader {

  /** A longer line is passed over: with what is made of it, it has to fit into a small heap. */
  static final int MAX_LINE_BYTES = 64 << 20;

  /** So many lines without one event: no event log. */
  static final int HOPELESS_LINES = 1_000;

  private static final int CHUNK_BYTES = 1 << 18;

  private static final long EACH_BYTE = 0x0101010101010101L;
  private static final long HIGH_BITS = 0x8080808080808080L;
  private static final long NEWLINES = '\n' * EACH_BYTE;

  private final EventLogParser parser;
  private final int maxLineBytes;
  private byte[] buffer = new byte[2 * CHUNK_BYTES];
  private ByteBuffer words = words(buffer);
  private int start;
  private int end;
  private boolean skipping;
  private long lines;
  private long badLines;
  private long bytes;
  private String firstProblem;

  public EventLogReader(EventLogParser parser) {
    this(parser, MAX_LINE_BYTES);
  }

  EventLogReader(EventLogParser parser, int maxLineBytes) {
    this.parser = parser;
    this.maxLineBytes = maxLineBytes;
  }

  /** Events read, unknown ones included. */
  public long events() {
    return parser.events();
  }

  /** Lines of which something could not be read. */
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
   * Reads to the end of the stream, or until it is clear that there are no events in it. A last
   * line without its newline is read where it is whole.
   *
   * @throws IOException where the stream breaks off; what came before has been read
   * @throws CancellationException thrown on where the taker of the spans threw it
   */
  public void read(InputStream in) throws IOException {
    start = 0;
    end = 0;
    skipping = false;
    try {
      fill(in);
    } catch (CancellationException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      lastLine();
      throw e;
    }
    lastLine();
  }

  private void fill(InputStream in) throws IOException {
    while (!isHopeless()) {
      makeRoom();
      int count = in.read(buffer, end, Math.min(CHUNK_BYTES, buffer.length - end));
      if (count < 0) {
        return;
      }
      bytes += count;
      int scan = end;
      end += count;
      split(scan);
    }
  }

  private void split(int from) {
    int scan = from;
    for (int newline = newline(scan); newline >= 0; newline = newline(scan)) {
      lines++;
      if (skipping) {
        tooLong();
      } else {
        line(start, newline);
      }
      start = newline + 1;
      scan = start;
    }
  }

  private void lastLine() {
    if (end == start && !skipping) {
      return;
    }
    lines++;
    if (skipping) {
      tooLong();
    } else {
      line(start, end);
    }
  }

  private boolean isHopeless() {
    return events() == 0 && (badLines >= HOPELESS_LINES || skipping);
  }

  private void makeRoom() {
    if (start == end) {
      start = 0;
      end = 0;
    }
    if (end < buffer.length) {
      return;
    }
    if (start > 0) {
      System.arraycopy(buffer, start, buffer, 0, end - start);
      end -= start;
      start = 0;
    } else if (skipping || buffer.length >= maxLineBytes) {
      skipping = true;
      end = 0;
    } else {
      buffer = Arrays.copyOf(buffer, 2 * buffer.length);
      words = words(buffer);
    }
  }

  private static ByteBuffer words(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** By eight bytes, because this passes over all of a log. */
  private int newline(int from) {
    int i = from;
    for (; i <= end - Long.BYTES; i += Long.BYTES) {
      // A byte that is zero where it is equal: only there, and above it, is the borrow.
      long differing = words.getLong(i) ^ NEWLINES;
      long equal = (differing - EACH_BYTE) & ~differing & HIGH_BITS;
      if (equal != 0) {
        return i + Long.numberOfTrailingZeros(equal) / Byte.SIZE;
      }
    }
    for (; i < end; i++) {
      if (buffer[i] == '\n') {
        return i;
      }
    }
    return -1;
  }

  private void line(int from, int to) {
    int last = to;
    while (last > from && buffer[last - 1] <= ' ' && buffer[last - 1] >= 0) {
      last--;
    }
    if (last == from) {
      return;
    }
    try {
      if (parser.parseTask(buffer, from, last)) {
        return;
      }
      last = LineTrimmer.trim(buffer, from, last);
      bad(parser.parse(buffer, from, last - from));
    } catch (IOException e) {
      repaired(from, last);
    } catch (CancellationException e) {
      throw e;
    } catch (RuntimeException e) {
      // What no check foresaw costs one event, not the log.
      bad(e.toString());
    }
  }

  private void repaired(int from, int to) {
    if (!Utf8.repair(buffer, from, to)) {
      bad("not JSON");
      return;
    }
    try {
      String problem = parser.parse(buffer, from, to - from);
      bad(problem == null ? "invalid UTF-8, replaced" : problem);
    } catch (IOException e) {
      bad("not JSON");
    }
  }

  private void tooLong() {
    skipping = false;
    bad("longer than " + maxLineBytes + " bytes");
  }

  private void bad(String problem) {
    if (problem == null) {
      return;
    }
    badLines++;
    if (firstProblem == null) {
      firstProblem = "line " + lines + ": " + problem;
    }
  }
}
