package io.sparkotel.agent.replay;

import io.airlift.compress.zstd.ZstdInputStream;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Unpacks Zstandard; a cut stream to the last block that is whole, and only then complains. */
final class ZstdStream extends FilterInputStream {

  private final ZstdFrames frames;

  ZstdStream(InputStream in) {
    this(new ZstdFrames(in));
  }

  private ZstdStream(ZstdFrames frames) {
    super(new ZstdInputStream(frames));
    this.frames = frames;
  }

  @Override
  public int read() throws IOException {
    return checked(super.read());
  }

  @Override
  public int read(byte[] into, int offset, int length) throws IOException {
    return checked(super.read(into, offset, length));
  }

  private int checked(int result) throws IOException {
    if (result < 0 && frames.problem() != null) {
      throw new EOFException(frames.problem());
    }
    return result;
  }
}
