package io.sparkotel.it;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * A started application. Its output is in the files {@code stdout} and {@code stderr} of its
 * directory.
 */
public final class SparkProcess implements AutoCloseable {

  private static final int TAIL_LINES = 60;

  private final Process process;
  private final Path dir;
  private final long deadlineNanos;
  private final Output stdout;
  private final Output stderr;

  SparkProcess(Process process, Path dir, Duration timeout) throws IOException {
    this.process = process;
    this.dir = dir;
    this.deadlineNanos = System.nanoTime() + timeout.toNanos();
    this.stdout = new Output(process.getInputStream(), dir.resolve("stdout"));
    this.stderr = new Output(process.getErrorStream(), dir.resolve("stderr"));
  }

  public long pid() {
    return process.pid();
  }

  public Path dir() {
    return dir;
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  /** The exit code; kills the process and fails when the run takes longer than its timeout. */
  public int waitFor() {
    try {
      if (!process.waitFor(nanosLeft(), TimeUnit.NANOSECONDS)) {
        kill();
        process.waitFor();
        throw new AssertionError("killed, because it did not end in time\n" + tail());
      }
      stdout.join();
      stderr.join();
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
    return process.exitValue();
  }

  /** Waits for the end and fails, with the log's tail, when the exit code is another. */
  public SparkProcess assertExit(int expected) {
    int actual = waitFor();
    if (actual != expected) {
      throw new AssertionError("exit code " + actual + ", expected " + expected + "\n" + tail());
    }
    return this;
  }

  /** Waits for a line of stdout or stderr with that text, and returns it. */
  public String awaitLine(String text) {
    return awaitLine("a line with \"" + text + "\"", line -> line.contains(text));
  }

  /** Waits for a line of stdout or stderr, and returns it; fails when the process ends without. */
  public String awaitLine(String what, Predicate<String> wanted) {
    synchronized (process) {
      while (true) {
        for (Output output : List.of(stdout, stderr)) {
          for (String line : output.lines) {
            if (wanted.test(line)) {
              return line;
            }
          }
        }
        boolean over = stdout.ended && stderr.ended;
        long millis = TimeUnit.NANOSECONDS.toMillis(nanosLeft());
        if (over || millis <= 0) {
          kill();
          throw new AssertionError((over ? "ended" : "too late") + ": no " + what + "\n" + tail());
        }
        try {
          process.wait(millis);
        } catch (InterruptedException e) {
          throw interrupted(e);
        }
      }
    }
  }

  /** Writes to standard input and closes it; for a run with {@link SparkRun#withInput}. */
  public void type(String text) {
    try (OutputStream input = process.getOutputStream()) {
      input.write(text.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** SIGKILL. */
  public void kill() {
    // Through the handle: the process itself would close its output under the readers.
    process.toHandle().destroyForcibly();
  }

  /** SIGTERM. */
  public void terminate() {
    process.toHandle().destroy();
  }

  public String stdout() {
    return stdout.text();
  }

  public String stderr() {
    return stderr.text();
  }

  public List<String> stderrLines() {
    return stderr.copy();
  }

  @Override
  public void close() {
    kill();
  }

  private long nanosLeft() {
    return Math.max(0, deadlineNanos - System.nanoTime());
  }

  private static IllegalStateException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new IllegalStateException(e);
  }

  private String tail() {
    return dir + "\n--- stdout\n" + stdout.tail() + "\n--- stderr\n" + stderr.tail();
  }

  /** Reads one stream to its end on a thread of its own; guarded by the process's monitor. */
  private final class Output {
    private final List<String> lines = new ArrayList<>();
    private boolean ended;
    private final Thread reader;

    Output(InputStream in, Path file) throws IOException {
      Writer out = Files.newBufferedWriter(file);
      reader = new Thread(() -> read(in, out), "output of " + process.pid());
      reader.setDaemon(true);
      reader.start();
    }

    private void read(InputStream in, Writer out) {
      try (out;
          BufferedReader from =
              new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
        for (String line = from.readLine(); line != null; line = from.readLine()) {
          out.write(line + "\n");
          synchronized (process) {
            lines.add(line);
            process.notifyAll();
          }
        }
      } catch (IOException e) {
        // A killed process closes its streams under the reader; anything else is a broken test.
        if (process.isAlive()) {
          throw new UncheckedIOException(e);
        }
      } finally {
        synchronized (process) {
          ended = true;
          process.notifyAll();
        }
      }
    }

    void join() throws InterruptedException {
      reader.join();
    }

    List<String> copy() {
      synchronized (process) {
        return List.copyOf(lines);
      }
    }

    String text() {
      return String.join("\n", copy());
    }

    String tail() {
      List<String> all = copy();
      return String.join("\n", all.subList(Math.max(0, all.size() - TAIL_LINES), all.size()));
    }
  }
}
