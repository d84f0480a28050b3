package io.sparkotel.agent.replay;

import com.ning.compress.lzf.LZFInputStream;
import com.ning.compress.lzf.util.ChunkDecoderFactory;
import java.io.BufferedInputStream;
import java.io.FilterInputStream;
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
      return new GZIPInputStream(new NeverEmpty(in), BUFFER_BYTES);
    }
    if (startsWith(head, 0x28, 0xb5, 0x2f, 0xfd)) {
      return new ZstdStream(in);
    }
    if (startsWith(head, 'L', 'Z', '4', 'B', 'l', 'o', 'c', 'k')) {
      return new Lz4BlockStream(in);
    }
    if (startsWith(head, 0x82, 'S', 'N', 'A', 'P', 'P', 'Y')) {
      return new SnappyBlockStream(in);
    }
    if (startsWith(head, 'Z', 'V')) {
      return new LZFInputStream(ChunkDecoderFactory.safeInstance(), in);
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

  /**
   * GZIPInputStream looks for a further member only where bytes are available, which a pipe says of
   * none that are still to come.
   */
  private static final class NeverEmpty extends FilterInputStream {
    NeverEmpty(InputStream in) {
      super(in);
    }

    @Override
    public int available() {
      return 1;
    }
  }
}
