package io.sparkotel.agent.replay;

import io.airlift.compress.snappy.SnappyDecompressor;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/**
 * Blocks as snappy-java's SnappyOutputStream frames them: a header of 16 bytes, then for each block
 * a big-endian length and the data. A header may come again where streams were joined.
 */
final class SnappyBlockStream extends BlockStream {

  private static final int HEADER_BYTES = 16;
  private static final byte[] MAGIC = {(byte) 0x82, 'S', 'N', 'A'};
  private static final int MAX_BLOCK_BYTES = 1 << 27;

  private final SnappyDecompressor decompressor = new SnappyDecompressor();

  SnappyBlockStream(InputStream in) {
    super(in);
  }

  @Override
  byte[] nextBlock() throws IOException {
    while (true) {
      int first = readByte();
      if (first < 0) {
        return null;
      }
      byte[] rest = readFully(3);
      byte[] head = {(byte) first, rest[0], rest[1], rest[2]};
      if (Arrays.equals(head, MAGIC)) {
        readFully(HEADER_BYTES - MAGIC.length);
        continue;
      }
      int length = first << 24 | (rest[0] & 0xff) << 16 | (rest[1] & 0xff) << 8 | (rest[2] & 0xff);
      if (length < 0 || length > MAX_BLOCK_BYTES) {
        throw new IOException("a broken Snappy block");
      }
      byte[] block = unpack(readFully(length));
      if (block.length > 0) {
        return block;
      }
    }
  }

  private byte[] unpack(byte[] data) throws IOException {
    try {
      int length = SnappyDecompressor.getUncompressedLength(data, 0);
      if (length > MAX_BLOCK_BYTES) {
        throw new IOException("a broken Snappy block");
      }
      byte[] block = new byte[length];
      decompressor.decompress(data, 0, data.length, block, 0, length);
      return block;
    } catch (RuntimeException e) {
      throw new IOException("a broken Snappy block", e);
    }
  }
}
