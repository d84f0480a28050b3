package io.sparkotel.agent.replay;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;

/** A stream of blocks, each unpacked as a whole. */
abstract class BlockStream extends InputStream {

  private final InputStream in;
  private byte[] block = new byte[0];
  private int at;
  private int end;

  BlockStream(InputStream in) {
    this.in = in;
  }

  /** The next block, never empty, or null at the end of the stream. */
  abstract byte[] nextBlock() throws IOException;

  @Override
  public int read() throws IOException {
    return fill() ? block[at++] & 0xff : -1;
  }

  @Override
  public int read(byte[] into, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    if (!fill()) {
      return -1;
    }
    int count = Math.min(length, end - at);
    System.arraycopy(block, at, into, offset, count);
    at += count;
    return count;
  }

  private boolean fill() throws IOException {
    if (at < end) {
      return true;
    }
    byte[] next = nextBlock();
    if (next == null) {
      return false;
    }
    block = next;
    at = 0;
    end = next.length;
    return true;
  }

  @Override
  public void close() throws IOException {
    in.close();
  }

  /** One byte, or -1 at the end of the stream. */
  final int readByte() throws IOException {
    return in.read();
  }

  final byte[] readFully(int length) throws IOException {
    byte[] bytes = new byte[length];
    for (int got = 0; got < length; ) {
      int count = in.read(bytes, got, length - got);
      if (count < 0) {
        throw new EOFException("the last block is cut");
      }
      got += count;
    }
    return bytes;
  }
}
