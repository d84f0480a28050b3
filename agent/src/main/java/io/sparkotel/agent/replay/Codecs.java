package io.sparkotel.agent.replay;

import com.ning.compress.lzf.LZFInputStream;
import io.airlift.compress.zstd.ZstdInputStream;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.GZIPInputStream;

/** The compressions of event logs as Spark frames them, told by the first bytes of a file. */
final class Codecs {

  private static final int PEEK_BYTES = 8;
  private static final int BUFFER_BYTES = 1 << 16;

  private Codecs() {}

  /** The uncompressed stream; one of no known compression as it is. */
  static InputStream open(InputStream raw) throws IOException {
    BufferedInputStream in = new BufferedInputStream(raw, BUFFER_BYTES);
    in.mark(PEEK_BYTES);
    byte[] head = new byte[PEEK_BYTES];
    int length = 0;
    for (int count = 0; count >= 0 && length < PEEK_BYTES; length += Math.max(0, count)) {
      count = in.read(head, length, PEEK_BYTES - length);
    }
    in.reset();
    if (startsWith(head, 0x1f, 0x8b)) {
      return new GZIPInputStream(in, BUFFER_BYTES);
    }
    if (startsWith(head, 0x28, 0xb5, 0x2f, 0xfd)) {
      return new ZstdInputStream(in);
    }
    if (startsWith(head, 'L', 'Z', '4', 'B', 'l', 'o', 'c', 'k')) {
      return new Lz4BlockStream(in);
    }
    if (startsWith(head, 0x82, 'S', 'N', 'A', 'P', 'P', 'Y')) {
      return new SnappyBlockStream(in);
    }
    if (startsWith(head, 'Z', 'V')) {
      return new LZFInputStream(in);
    }
    return in;
  }

  private static boolean startsWith(byte[] head, int... bytes) {
    for (int i = 0; i < bytes.length; i++) {
      if ((head[i] & 0xff) != bytes[i]) {
        return false;
      }
    }
    return true;
  }
}
