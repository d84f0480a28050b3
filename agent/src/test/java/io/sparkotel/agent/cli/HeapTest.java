package io.sparkotel.agent.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.agent.replay.Logs;
import java.io.BufferedOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A replay in a JVM of its own, whose heap is smaller than the log. */
class HeapTest {

  private static final int MEGABYTES_OF_A_LINE = 50;

  @TempDir Path temp;

  public static void main(String[] arguments) {
    System.exit(Main.run(arguments, new File("agent.jar"), System.out, System.err));
  }

  @Test
  void linesOf50MegabytesIn256() throws Exception {
    Path log = temp.resolve("log.gz");
    try (OutputStream out =
        new BufferedOutputStream(new GZIPOutputStream(Files.newOutputStream(log)))) {
      writeLog(out);
    }
    Path text = temp.resolve("output");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-Dotel.spark.tasks=all",
                "-cp",
                System.getProperty("java.class.path"),
                HeapTest.class.getName(),
                "replay",
                "--file",
                temp.resolve("spans.json").toString(),
                log.toString())
            .redirectErrorStream(true)
            .redirectOutput(text.toFile())
            .start();
    int code = process.waitFor();
    assertThat(Files.readString(text)).contains("6 spans sent, 0 not sent").contains("16 events");
    assertThat(code).isZero();
  }

  private static void writeLog(OutputStream out) throws IOException {
    List<String> lines = new ArrayList<>(Logs.small("app-1"));
    PrintStream print = new PrintStream(out, false, UTF_8);
    lines.subList(0, 7).forEach(line -> print.print(line + "\n"));
    repeat(out, "{\"Event\":\"Unknown\",\"text\":\"", "some text ", "\"}\n", print);
    repeat(
        out,
        "{\"Event\":\"org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd\","
            + "\"executionId\":9,\"time\":5,\"errorMessage\":\"",
        "what went wrong ",
        "\"}\n",
        print);
    String end = Logs.taskEnd(0, 0);
    int at = end.indexOf("{\"ID\":1");
    repeat(
        out,
        end.substring(0, at),
        "{\"ID\":1,\"Update\":\"[x]\"},",
        end.substring(at) + "\n",
        print);
    String reason = "{\"Reason\":\"ExceptionFailure\",\"Full Stack Trace\":\"\u20ac";
    String late = Logs.taskEnd(0, 1, reason + "|\"}");
    at = late.indexOf('|');
    repeat(out, late.substring(0, at), "at x.Y\\n", late.substring(at + 1) + "\n", print);
    repeat(
        out,
        "{\"Event\":\"SparkListenerExecutorAdded\",\"Executor ID\":\"1\",\"Executor Info\":{\"Log"
            + " Urls\":{",
        "\"a\":[1,2,{}],",
        "\"b\":1}}}\n",
        print);
    print.print("{\"Event\":\"Unknown\"}\n");
    lines.subList(9, 12).forEach(line -> print.print(line + "\n"));
    print.flush();
  }

  private static void repeat(
      OutputStream out, String head, String text, String tail, PrintStream print)
      throws IOException {
    print.print(head);
    print.flush();
    byte[] unit = text.repeat(1_000_000 / text.length()).getBytes(UTF_8);
    for (int i = 0; i < MEGABYTES_OF_A_LINE; i++) {
      out.write(unit);
    }
    print.print(tail);
    print.flush();
  }
}
