package io.sparkotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.scenarios.SqlJoin;
import java.nio.file.Files;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The harness itself: Spark runs, and says nothing without an agent. */
class HarnessIT {

  static Stream<SparkVersion> versions() {
    return Stream.of(SparkVersion.V3_5_9, SparkVersion.V4_2_0);
  }

  @ParameterizedTest
  @MethodSource("versions")
  void runsAnApplicationWithoutAgent(SparkVersion version) {
    SparkRun run = SparkRun.of(version, SqlJoin.class);
    SparkProcess process = run.args(run.dir().resolve("out")).run().assertExit(0);

    assertThat(process.stdout()).isEqualTo("customers: 10\nrows: 10");
    assertThat(process.stderrLines()).isEmpty();
    assertThat(Files.exists(run.dir().resolve("out/_SUCCESS"))).isTrue();
  }
}
