package io.sparkotel.it;

import static io.sparkotel.it.TraceAssert.application;
import static io.sparkotel.it.TraceAssert.assertThatTrace;
import static io.sparkotel.it.TraceAssert.job;
import static io.sparkotel.it.TraceAssert.stage;
import static io.sparkotel.it.TraceAssert.started;
import static io.sparkotel.it.TraceAssert.task;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.sparkotel.scenarios.StopTwice;
import io.sparkotel.scenarios.TwoContexts;
import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One trace for each SparkContext of a JVM, whatever it does besides. */
class ContextsIT {

  /**
   * Runs a main class as often as there are further arguments, in a loader of its own each time.
   */
  private static final String LOADERS =
      """
      import java.io.File;
      import java.net.URL;
      import java.net.URLClassLoader;
      import java.util.ArrayList;
      import java.util.List;

      public class Loaders {
        public static void main(String[] args) throws Exception {
          for (int i = 1; i < args.length; i++) {
            List<URL> urls = new ArrayList<>();
            for (String entry : args[i].split(File.pathSeparator)) {
              urls.add(new File(entry).toURI().toURL());
            }
            ClassLoader loader =
                new URLClassLoader(
                    urls.toArray(new URL[0]), ClassLoader.getSystemClassLoader().getParent());
            Thread.currentThread().setContextClassLoader(loader);
            Class.forName(args[0], true, loader)
                .getMethod("main", String[].class)
                .invoke(null, (Object) new String[0]);
          }
        }
      }
      """;

  @TempDir Path temp;

  @OnEachSpark
  void twoContextsAreTwoTraces(SparkVersion version) {
    List<Trace> traces = TracedRun.of(SparkRun.of(version, TwoContexts.class)).traces();

    assertThat(traces).hasSize(2);
    assertThatTrace(traces.get(0))
        .isTree(
            application(
                    "spark.application",
                    started(),
                    job(
                        "job count at TwoContexts.java:14",
                        stage("stage count at TwoContexts.java:14", task())))
                .with("spark.jobs.total", 1)
                .with("spark.tasks.total", 1));
    assertThatTrace(traces.get(1))
        .isTree(
            application(
                    "spark.application",
                    started(),
                    job(
                        "job collect at TwoContexts.java:17",
                        stage("stage collect at TwoContexts.java:17", task().times(2))))
                .with("spark.jobs.total", 1)
                .with("spark.tasks.total", 2));
    assertThat(traces)
        .extracting(trace -> trace.application().resource().get("service.name"))
        .containsExactly("first context", "second context");
  }

  @OnEachSpark
  void aContextThatIsStoppedTwiceIsOneTrace(SparkVersion version) {
    assertThatTrace(TracedRun.of(SparkRun.of(version, StopTwice.class)).trace())
        .isTree(
            application(
                    "spark.application",
                    started(),
                    job(
                        "job count at StopTwice.java:14",
                        stage("stage count at StopTwice.java:14", task())))
                .without("spark.exit_code", "spark.incomplete"));
  }

  @Test
  void eachSparkOfALoaderOfItsOwnIsTraced() {
    PlainJava.compile(temp, Map.of("Loaders", LOADERS));
    List<Object> command = new ArrayList<>(SparkVersion.V3_5_9.jvmFlags());
    try (OtlpReceiver receiver = OtlpReceiver.start()) {
      command.addAll(
          List.of(
              "-javaagent:" + Layout.agentJar(),
              "-Dspark.otel.exporter.otlp.protocol=http/protobuf",
              "-Dspark.otel.exporter.otlp.endpoint=" + receiver.httpEndpoint(),
              "-Dspark.master=local[2]",
              "-Dspark.driver.host=127.0.0.1",
              "-Dspark.ui.enabled=false",
              "-cp",
              temp,
              "Loaders",
              TwoContexts.class.getName(),
              classpath(SparkVersion.V3_5_9),
              classpath(SparkVersion.V4_2_0)));
      PlainJava.run(Path.of(System.getProperty("java.home")), temp, command.toArray())
          .assertExit(0);

      assertThat(receiver.traces())
          .extracting(
              trace -> trace.application().resource().get("service.name"),
              trace -> trace.application().resource().get("spark.version"),
              trace -> trace.application().attribute("spark.tasks.total"))
          .containsExactly(
              tuple("first context", "3.5.9", 1L),
              tuple("second context", "3.5.9", 2L),
              tuple("first context", "4.2.0", 1L),
              tuple("second context", "4.2.0", 2L));
    }
  }

  private static String classpath(SparkVersion version) {
    return Stream.concat(
            Stream.of(Layout.sparkConf(), Layout.scenarioClasses()), version.classpath().stream())
        .map(Path::toString)
        .collect(joining(File.pathSeparator));
  }
}
