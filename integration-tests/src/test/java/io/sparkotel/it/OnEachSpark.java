package io.sparkotel.it;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A test that runs once for each Spark whose traces are compared exactly. */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@ParameterizedTest
@MethodSource("io.sparkotel.it.OnEachSpark$Versions#all")
@interface OnEachSpark {

  /** The oldest line that is in wide use and the newest; their Scala versions differ, too. */
  final class Versions {
    private Versions() {}

    static Stream<SparkVersion> all() {
      return Stream.of(SparkVersion.V3_5_9, SparkVersion.V4_2_0);
    }
  }
}
