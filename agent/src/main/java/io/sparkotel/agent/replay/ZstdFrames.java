package io.sparkotel.agent.replay;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;

/**
 * A stream of Zstandard frames that ends as it should even where it was cut: what is left of the
 * last block is taken off, and the end of the frame is put there. A decoder keeps up to a window of
 * what it has decoded until it sees the frame's end, and Spark ends the frame of a log with the
 * application, so of one that was killed it would keep everything.
 *
 * <p>Checksums are taken out: what they are of may be cut.
 */
final class ZstdFrames extends BlockStream {

  static final int MAGIC = 0xfd2fb528;

  private static final int SKIPPABLE_MAGIC = 0x184d2a50;
  private static final int SKIPPABLE_MASK = 0xfffffff0;
  private static final int MAGIC_BYTES = 4;
  private static final int SINGLE_SEGMENT_FLAG = 0x20;
  private static final int CHECKSUM_FLAG = 0x04;
  private static final int[] DICTIONARY_ID_BYTES = {0, 1, 2, 4};
  private static final int[] CONTENT_SIZE_BYTES = {0, 2, 4, 8};
  private static final int BLOCK_HEADER_BYTES = 3;
  private static final int BLOCK_TYPE_RUN = 1;
  private static final byte[] EMPTY_LAST_BLOCK = {1, 0, 0};

  private boolean inFrame;
  private boolean checksum;
  private String problem;

  ZstdFrames(InputStream in) {
    super(in);
  }

  /** Why the stream ended before its end, or null. */
  String problem() {
    return problem;
  }

  @Override
  byte[] nextBlock() throws IOException {
    if (problem != null) {
      return null;
    }
    try {
      return inFrame ? block() : frame();
    } catch (EOFException e) {
      problem = "the last frame is cut";
      return inFrame ? EMPTY_LAST_BLOCK : null;
    }
  }

  /** The header of the next frame that holds data, or null at the end. */
  private byte[] frame() throws IOException {
    while (true) {
      int first = readByte();
      if (first < 0) {
        return null;
      }
      int magic = first | littleEndian(readFully(MAGIC_BYTES - 1), 0, MAGIC_BYTES - 1) << 8;
      if (magic == MAGIC) {
        return header();
      }
      if ((magic & SKIPPABLE_MASK) != SKIPPABLE_MAGIC) {
        problem = "something else follows the last frame";
        return null;
      }
      for (long left = littleEndian(readFully(4), 0, 4) & 0xffffffffL; left > 0; left--) {
        if (readByte() < 0) {
          throw new EOFException();
        }
      }
    }
  }

  private byte[] header() throws IOException {
    int descriptor = readFully(1)[0] & 0xff;
    boolean singleSegment = (descriptor & SINGLE_SEGMENT_FLAG) != 0;
    int sizeBytes = CONTENT_SIZE_BYTES[descriptor >> 6];
    int restBytes =
        (singleSegment ? Math.max(1, sizeBytes) : sizeBytes + 1)
            + DICTIONARY_ID_BYTES[descriptor & 3];
    byte[] rest = readFully(restBytes);
    byte[] header = new byte[MAGIC_BYTES + 1 + restBytes];
    for (int i = 0; i < MAGIC_BYTES; i++) {
      header[i] = (byte) (MAGIC >>> (8 * i));
    }
    header[MAGIC_BYTES] = (byte) (descriptor & ~CHECKSUM_FLAG);
    System.arraycopy(rest, 0, header, MAGIC_BYTES + 1, restBytes);
    checksum = (descriptor & CHECKSUM_FLAG) != 0;
    inFrame = true;
    return header;
  }

  private byte[] block() throws IOException {
    byte[] head = readFully(BLOCK_HEADER_BYTES);
    int header = littleEndian(head, 0, BLOCK_HEADER_BYTES);
    boolean last = (header & 1) != 0;
    int size = (header >> 1 & 3) == BLOCK_TYPE_RUN ? 1 : header >> 3;
    byte[] content = readFully(size);
    byte[] block = new byte[BLOCK_HEADER_BYTES + size];
    System.arraycopy(head, 0, block, 0, BLOCK_HEADER_BYTES);
    System.arraycopy(content, 0, block, BLOCK_HEADER_BYTES, size);
    if (last) {
      inFrame = false;
      if (checksum) {
        skipChecksum();
      }
    }
    return block;
  }

  private void skipChecksum() throws IOException {
    try {
      readFully(4);
    } catch (EOFException e) {
      problem = "the last frame is cut";
    }
  }

  private static int littleEndian(byte[] bytes, int from, int length) {
    int value = 0;
    for (int i = 0; i < length; i++) {
      value |= (bytes[from + i] & 0xff) << (8 * i);
    }
    return value;
  }
}
