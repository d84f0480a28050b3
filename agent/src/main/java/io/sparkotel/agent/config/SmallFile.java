package io.sparkotel.agent.config;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;

/** Files that a setting names. */
final class SmallFile {

  private static final int MAX_BYTES = 1 << 20;

  private SmallFile() {}

  /** The whole content of a regular file of at most 1 MiB; the message of an error says why not. */
  static byte[] read(File file) throws IOException {
    // A pipe or a device could block the start of the application, or never end.
    if (!file.isFile()) {
      throw new IOException(file.exists() ? "not a regular file" : "no such file");
    }
    try (FileInputStream in = new FileInputStream(file)) {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      byte[] buffer = new byte[8192];
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        out.write(buffer, 0, n);
        if (out.size() > MAX_BYTES) {
          throw new IOException("the file is larger than 1 MiB");
        }
      }
      return out.toByteArray();
    } catch (FileNotFoundException e) {
      throw new IOException("the file cannot be read", e);
    }
  }
}
