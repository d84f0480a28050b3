package io.sparkotel.agent.export;

import java.nio.charset.StandardCharsets;

/**
 * Reads what a collector says about a request that it accepted: {@code
 * ExportTraceServiceResponse.partial_success}, two fields of a message of one field.
 */
final class PartialSuccess {

  private static final int VARINT = 0;
  private static final int FIXED64 = 1;
  private static final int LENGTH = 2;
  private static final int FIXED32 = 5;

  private final byte[] bytes;
  private int position;
  private int end;
  private long rejected;
  private String message = "";

  private PartialSuccess(byte[] bytes) {
    this.bytes = bytes;
    this.end = bytes.length;
  }

  /** The exception to the success, or null where all was taken or the bytes make no sense. */
  static ExportFailure read(byte[] response) {
    PartialSuccess reader = new PartialSuccess(response);
    if (!reader.readResponse() || (reader.rejected == 0 && reader.message.isEmpty())) {
      return null;
    }
    return ExportFailure.partial(Math.max(0, reader.rejected), reader.message);
  }

  private boolean readResponse() {
    while (position < end) {
      long tag = varint();
      if (tag == (1 << 3 | LENGTH)) {
        long length = varint();
        if (length < 0 || length > end - position) {
          return false;
        }
        end = position + (int) length;
        return readPartialSuccess();
      }
      if (!skip((int) (tag & 7))) {
        return false;
      }
    }
    return false;
  }

  private boolean readPartialSuccess() {
    while (position < end) {
      long tag = varint();
      if (tag == (1 << 3 | VARINT)) {
        rejected = varint();
      } else if (tag == (2 << 3 | LENGTH)) {
        long length = varint();
        if (length < 0 || length > end - position) {
          return false;
        }
        message = new String(bytes, position, (int) length, StandardCharsets.UTF_8);
        position += (int) length;
      } else if (!skip((int) (tag & 7))) {
        return false;
      }
    }
    return position == end;
  }

  /** -1 at the end of the bytes, which no length and no wire type of use can be. */
  private long varint() {
    long value = 0;
    for (int shift = 0; shift < 64 && position < end; shift += 7) {
      byte b = bytes[position++];
      value |= (long) (b & 0x7f) << shift;
      if (b >= 0) {
        return value;
      }
    }
    return -1;
  }

  private boolean skip(int wireType) {
    long length;
    switch (wireType) {
      case VARINT:
        varint();
        return true;
      case FIXED64:
        length = 8;
        break;
      case LENGTH:
        length = varint();
        break;
      case FIXED32:
        length = 4;
        break;
      default:
        return false;
    }
    if (length < 0 || length > end - position) {
      return false;
    }
    position += (int) length;
    return true;
  }
}
