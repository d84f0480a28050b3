package io.sparkotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The entry point of an image hands over to Spark's, whether the jar is there or not. */
class EntryPointIT {

  @TempDir Path dir;

  @Test
  void addsTheFlagWhereTheJarIs() throws Exception {
    assertThat(run(Layout.agentJar(), "-Du=1"))
        .containsExactly("-Du=1 -javaagent:" + Layout.agentJar(), "driver", "two words", "", "7");
    assertThat(run(Layout.agentJar(), null))
        .containsExactly(" -javaagent:" + Layout.agentJar(), "driver", "two words", "", "7");
  }

  @Test
  void startsAsEverWithoutTheJar() throws Exception {
    Path missing = dir.resolve("missing.jar");
    assertThat(run(missing, "-Du=1")).containsExactly("-Du=1", "driver", "two words", "", "7");
    assertThat(run(missing, null)).containsExactly("unset", "driver", "two words", "", "7");
  }

  /** What Spark's entry point would see: the variable, each argument; then the exit code. */
  private List<String> run(Path jar, String options) throws IOException, InterruptedException {
    Path sparks =
        script(
            "sparks.sh",
            "#!/bin/sh\nprintf '%s\\n' \"${SPARK_SUBMIT_OPTS-unset}\" \"$@\"\nexit 7\n");
    Path ours =
        script(
            "ours.sh",
            Files.readString(Layout.snippet("entrypoint.sh"))
                .replace("/opt/spark-otel/spark-otel-agent.jar", jar.toString())
                .replace("/opt/entrypoint.sh", sparks.toString()));
    ProcessBuilder builder =
        new ProcessBuilder(ours.toString(), "driver", "two words", "")
            .redirectErrorStream(true)
            .redirectOutput(dir.resolve("output").toFile());
    builder.environment().remove("SPARK_SUBMIT_OPTS");
    if (options != null) {
      builder.environment().put("SPARK_SUBMIT_OPTS", options);
    }
    Process process = builder.start();
    assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
    List<String> seen = Files.readAllLines(dir.resolve("output"));
    seen.add(String.valueOf(process.exitValue()));
    return seen;
  }

  private Path script(String name, String text) throws IOException {
    Path file = Files.writeString(dir.resolve(name), text);
    assertThat(file.toFile().setExecutable(true)).isTrue();
    return file;
  }
}
