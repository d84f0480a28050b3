package io.sparkotel.it;

import java.nio.file.Path;

/** Java runtimes by their version: one that is installed, or one of Python's package index. */
final class JavaRuntimes {

  private JavaRuntimes() {}

  /** The test is skipped where that version cannot be had; on a CI server it fails. */
  static Path home(int version) {
    return switch (version) {
      case 11 -> PythonPackages.java("11.0.13.1");
      case 21 -> PythonPackages.java("21.0.8.2");
      default ->
          PlainJava.homes().stream()
              .filter(home -> PlainJava.version(home) == version)
              .findFirst()
              .orElseThrow(
                  () -> PythonPackages.unavailable("Java " + version + " is not installed"));
    };
  }
}
