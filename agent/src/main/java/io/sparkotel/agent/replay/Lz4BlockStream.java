package io.sparkotel.agent.replay;

import io.airlift.compress.lz4.Lz4Decompressor;
import java.io.IOException;
import java.io.InputStream;

/**
 * Blocks as lz4-java's LZ4BlockOutputStream frames them: the magic, a token, three little-endian
 * ints (compressed length, length, checksum), the data. A block of length 0 ends a stream, after
 * which another may follow.
 */
final class Lz4BlockStream extends BlockStream {

  private static final int HEADER_BYTES = 21;
  private static final int MAGIC_BYTES = 8;
  private static final int METHOD_RAW = 0x10;
  private static final int METHOD_LZ4 = 0x20;
  private static final int MAX_BLOCK_BYTES = 1 << 25;

  private final Lz4Decompressor decompressor = new Lz4Decompressor();

  Lz4BlockStream(InputStream in) {
    super(in);
  }

  @Override
  byte[] nextBlock() throws IOException {
    while (true) {
      int first = readByte();
      if (first < 0) {
        return null;
      }
      byte[] header = readFully(HEADER_BYTES - 1);
      if (first != 'L' || header[MAGIC_BYTES - 2] != 'k') {
        throw new IOException("not an LZ4 block");
      }
      int method = header[MAGIC_BYTES - 1] & 0xf0;
      int compressed = intAt(header, MAGIC_BYTES);
      int length = intAt(header, MAGIC_BYTES + 4);
      if (length < 0
          || length > MAX_BLOCK_BYTES
          || compressed < 0
          || compressed > MAX_BLOCK_BYTES) {
        throw new IOException("a broken LZ4 block");
      }
      byte[] data = readFully(compressed);
      if (length == 0) {
        continue;
      }
      return unpack(data, method, length);
    }
  }

  private byte[] unpack(byte[] data, int method, int length) throws IOException {
    if (method == METHOD_RAW && data.length == length) {
      return data;
    }
    if (method != METHOD_LZ4) {
      throw new IOException("a broken LZ4 block");
    }
    byte[] block = new byte[length];
    try {
      if (decompressor.decompress(data, 0, data.length, block, 0, length) != length) {
        throw new IOException("a broken LZ4 block");
      }
    } catch (RuntimeException e) {
      throw new IOException("a broken LZ4 block", e);
    }
    return block;
  }

  private static int intAt(byte[] bytes, int at) {
    return (bytes[at] & 0xff)
        | (bytes[at + 1] & 0xff) << 8
        | (bytes[at + 2] & 0xff) << 16
        | (bytes[at + 3] & 0xff) << 24;
  }
}
