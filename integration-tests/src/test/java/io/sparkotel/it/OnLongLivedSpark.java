package io.sparkotel.it;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A test that runs once for each Spark whose traces are compared exactly, and for the newest, which
 * only Python's package has: what lives long meets new versions first.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@ParameterizedTest
@MethodSource("io.sparkotel.it.OnLongLivedSpark$Versions#all")
@interface OnLongLivedSpark {

  /** Those of {@link OnEachSpark}, and one more. */
  final class Versions {
    private Versions() {}

    static Stream<SparkVersion> all() {
      return Stream.concat(OnEachSpark.Versions.all(), Stream.of(SparkVersion.V4_3_0));
    }
  }
}
