package io.sparkotel.agent.replay;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The lines of a log as they are, uncompressed. */
public final class RawLines {

  private RawLines() {}

  public static List<byte[]> of(File file) throws IOException {
    return of(file, Integer.MAX_VALUE);
  }

  /** The last line may be cut where the log is longer. */
  public static List<byte[]> of(File file, int maxBytes) throws IOException {
    byte[] all;
    try (InputStream in = Codecs.open(new FileInputStream(file))) {
      all = in.readNBytes(maxBytes);
    }
    List<byte[]> lines = new ArrayList<>();
    int start = 0;
    for (int i = 0; i < all.length; i++) {
      if (all[i] == '\n') {
        lines.add(Arrays.copyOfRange(all, start, i));
        start = i + 1;
      }
    }
    if (start < all.length) {
      lines.add(Arrays.copyOfRange(all, start, all.length));
    }
    return lines;
  }
}
