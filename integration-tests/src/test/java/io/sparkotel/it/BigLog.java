package io.sparkotel.it;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Makes a large event log of a small one: the application runs its jobs again and again, with ids
 * that go on counting, each round after the one before.
 */
final class BigLog {

  /** What is there once, before all jobs. */
  private static final Pattern HEAD =
      Pattern.compile(
          "\\{\"Event\":\"SparkListener(LogStart|ResourceProfileAdded|BlockManagerAdded"
              + "|ExecutorAdded|EnvironmentUpdate|ApplicationStart)\".*");

  private static final String APPLICATION_END = "{\"Event\":\"SparkListenerApplicationEnd\"";
  private static final String TASK_END = "{\"Event\":\"SparkListenerTaskEnd\"";

  /** A key in quotes without escapes is none in a text. */
  private static final Pattern ID =
      Pattern.compile(
          "\"(?:Stage ID|Job ID|Task ID|RDD ID|executionId|rootExecutionId"
              + "|spark\\.sql\\.execution(?:\\.root)?\\.id)\":\"?(\\d+)"
              + "|\"(?:Stage IDs|Parent IDs)\":\\[([\\d,]+)]"
              + "|\"(?:Submission Time|Completion Time|Launch Time|Finish Time"
              + "|Getting Result Time|Timestamp|time)\":([1-9]\\d*)");

  private static final Pattern NUMBER = Pattern.compile("\\d+");

  private final List<byte[]> head = new ArrayList<>();
  private final List<Line> body = new ArrayList<>();
  private Line tail;
  private long taskEnds;
  private long nextId;
  private long firstTime = Long.MAX_VALUE;
  private long lastTime;

  private BigLog(Path log) throws IOException {
    // One char a byte, whatever is in it.
    for (String line : Files.readAllLines(log, StandardCharsets.ISO_8859_1)) {
      if (HEAD.matcher(line).matches()) {
        head.add((line + '\n').getBytes(StandardCharsets.ISO_8859_1));
      } else if (line.startsWith(APPLICATION_END)) {
        tail = new Line(line);
      } else {
        body.add(new Line(line));
        taskEnds += line.startsWith(TASK_END) ? 1 : 0;
      }
    }
    if (taskEnds == 0) {
      throw new IOException("no task ended in " + log);
    }
  }

  /**
   * Writes a log of at least so many tasks.
   *
   * @param log not compressed
   * @return events and tasks written
   */
  static Size repeat(Path log, Path big, long tasks) throws IOException {
    BigLog small = new BigLog(log);
    long rounds = (tasks + small.taskEnds - 1) / small.taskEnds;
    long events = small.head.size() + rounds * small.body.size() + (small.tail == null ? 0 : 1);
    long duration = small.lastTime - small.firstTime + 1;
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(big), 1 << 20)) {
      for (byte[] line : small.head) {
        out.write(line);
      }
      for (long round = 0; round < rounds; round++) {
        for (Line line : small.body) {
          line.write(out, round * small.nextId, round * duration);
        }
      }
      if (small.tail != null) {
        small.tail.write(out, 0, (rounds - 1) * duration);
      }
    }
    return new Size(events, rounds * small.taskEnds);
  }

  record Size(long events, long tasks) {}

  /** The texts of a line and the numbers between them. */
  private final class Line {
    private final List<byte[]> texts = new ArrayList<>();
    private final List<Long> numbers = new ArrayList<>();
    private final List<Boolean> times = new ArrayList<>();

    Line(String line) {
      int copied = 0;
      Matcher found = ID.matcher(line);
      while (found.find()) {
        boolean time = found.group(3) != null;
        int group = time ? 3 : found.group(1) != null ? 1 : 2;
        Matcher number = NUMBER.matcher(line).region(found.start(group), found.end(group));
        while (number.find()) {
          add(line.substring(copied, number.start()), Long.parseLong(number.group()), time);
          copied = number.end();
        }
      }
      texts.add((line.substring(copied) + '\n').getBytes(StandardCharsets.ISO_8859_1));
    }

    private void add(String text, long number, boolean time) {
      texts.add(text.getBytes(StandardCharsets.ISO_8859_1));
      numbers.add(number);
      times.add(time);
      if (time) {
        firstTime = Math.min(firstTime, number);
        lastTime = Math.max(lastTime, number);
      } else {
        nextId = Math.max(nextId, number + 1);
      }
    }

    void write(OutputStream out, long idShift, long timeShift) throws IOException {
      for (int i = 0; i < numbers.size(); i++) {
        out.write(texts.get(i));
        long number = numbers.get(i) + (times.get(i) ? timeShift : idShift);
        out.write(Long.toString(number).getBytes(StandardCharsets.US_ASCII));
      }
      out.write(texts.get(numbers.size()));
    }
  }
}
