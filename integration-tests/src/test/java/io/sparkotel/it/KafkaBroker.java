package io.sparkotel.it;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/**
 * One broker of Kafka, which is its own controller, in a JVM of its own. Topics come into being
 * when they are first written to, with two partitions. Where Maven cannot get it a test is skipped;
 * on a CI server it fails.
 */
final class KafkaBroker implements AutoCloseable {

  private static final String VERSION = "4.1.2";
  private static final String CLUSTER = "MkU3OEVBNTcwNTJENDM2Qk";
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final int port = FreePort.find();
  private final Path dir;
  private final SparkProcess process;

  private KafkaBroker() {
    List<Path> jars = jars();
    int controller = FreePort.find();
    try {
      Path runs = Files.createDirectories(Layout.workDir().resolve("runs"));
      dir = Files.createTempDirectory(runs, "kafka-");
      Path properties =
          Files.write(
              dir.resolve("server.properties"),
              List.of(
                  "process.roles=broker,controller",
                  "node.id=1",
                  "controller.quorum.voters=1@127.0.0.1:" + controller,
                  "controller.listener.names=CONTROLLER",
                  "listeners=PLAINTEXT://" + address() + ",CONTROLLER://127.0.0.1:" + controller,
                  "advertised.listeners=PLAINTEXT://" + address(),
                  "log.dirs=" + dir.resolve("logs"),
                  "num.partitions=2"));
      java(jars, "kafka.tools.StorageTool", "format", "-t", CLUSTER, "-c", properties.toString())
          .assertExit(0);
      process = java(jars, "kafka.Kafka", properties.toString());
      awaitAnswer();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Waits until it answers. */
  static KafkaBroker start() {
    return new KafkaBroker();
  }

  /** What clients bootstrap from. */
  String address() {
    return "127.0.0.1:" + port;
  }

  private static List<Path> jars() {
    try {
      return Maven.classpath("org.apache.kafka", "kafka", "2.13", VERSION);
    } catch (IllegalStateException e) {
      throw PythonPackages.unavailable("Kafka " + VERSION + ": " + e.getMessage());
    }
  }

  private SparkProcess java(List<Path> jars, String... mainAndArguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx256m", "-XX:TieredStopAtLevel=1", "-cp"));
    command.add(jars.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator)));
    command.addAll(List.of(mainAndArguments));
    Path output = Files.createDirectories(dir.resolve(mainAndArguments[0]));
    Process started = new ProcessBuilder(command).directory(dir.toFile()).start();
    return new SparkProcess(started, output, PATIENCE);
  }

  private void awaitAnswer() {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!answers()) {
      if (!process.isAlive() || System.nanoTime() > deadline) {
        close();
        throw new AssertionError("no answer from Kafka\n" + process.stdout() + process.stderr());
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
    }
  }

  /** Asks for the versions of its requests, which it answers when it is ready for clients. */
  private boolean answers() {
    int question = 7;
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout((int) PATIENCE.toMillis());
      DataOutputStream out = new DataOutputStream(socket.getOutputStream());
      out.writeInt(10);
      out.writeShort(18);
      out.writeShort(0);
      out.writeInt(question);
      out.writeShort(-1);
      out.flush();
      DataInputStream in = new DataInputStream(socket.getInputStream());
      return in.readInt() > 0 && in.readInt() == question;
    } catch (IOException e) {
      // Not yet.
      return false;
    }
  }

  @Override
  public void close() {
    process.close();
  }
}
