package io.sparkotel.it;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.Supplier;

/** One at a time, in all JVMs that run tests of this build: they share what they download. */
final class Exclusively {

  private Exclusively() {}

  /**
   * Waits until no other does it.
   *
   * @throws UncheckedIOException when the build directory cannot be written
   */
  static synchronized <T> T get(Supplier<T> work) {
    try (FileChannel channel = open();
        FileLock lock = channel.lock()) {
      return work.get();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static FileChannel open() throws IOException {
    Path folder = Files.createDirectories(Layout.workDir());
    return FileChannel.open(
        folder.resolve("downloads.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
  }
}
