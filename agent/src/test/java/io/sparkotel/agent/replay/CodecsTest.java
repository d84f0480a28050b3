package io.sparkotel.agent.replay;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdOutputStreamNoFinalizer;
import com.ning.compress.lzf.LZFOutputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import net.jpountz.lz4.LZ4BlockOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.xerial.snappy.SnappyOutputStream;

/** What the libraries that Spark uses have written is read by those that need no native code. */
class CodecsTest {

  enum Writer {
    PLAIN {
      @Override
      OutputStream to(OutputStream out) {
        return out;
      }
    },
    GZIP {
      @Override
      OutputStream to(OutputStream out) throws IOException {
        return new GZIPOutputStream(out, true);
      }
    },
    ZSTD {
      @Override
      OutputStream to(OutputStream out) throws IOException {
        return new ZstdOutputStreamNoFinalizer(out, 1);
      }
    },
    ZSTD_WITH_CHECKSUM {
      @Override
      OutputStream to(OutputStream out) throws IOException {
        return new ZstdOutputStreamNoFinalizer(out, 19)
            .setChecksum(true)
            .setCloseFrameOnFlush(true);
      }
    },
    LZ4 {
      @Override
      OutputStream to(OutputStream out) {
        return new LZ4BlockOutputStream(out, 32 * 1024);
      }
    },
    LZF {
      @Override
      OutputStream to(OutputStream out) {
        return new LZFOutputStream(out).setFinishBlockOnFlush(true);
      }
    },
    SNAPPY {
      @Override
      OutputStream to(OutputStream out) {
        return new SnappyOutputStream(out, 32 * 1024);
      }
    };

    abstract OutputStream to(OutputStream out) throws IOException;

    byte[] pack(byte[] content) throws IOException {
      ByteArrayOutputStream packed = new ByteArrayOutputStream();
      try (OutputStream out = to(packed)) {
        out.write(content);
      }
      return packed.toByteArray();
    }
  }

  /** Text, then what cannot be compressed, then text. */
  private static byte[] content(int seed) {
    byte[] noise = new byte[100_000];
    new Random(seed).nextBytes(noise);
    byte[] text =
        ("{\"Event\":\"SparkListenerTaskEnd\"} " + seed + "\n").repeat(20_000).getBytes(UTF_8);
    return join(text, noise, text);
  }

  private static byte[] join(byte[]... parts) {
    ByteArrayOutputStream joined = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      joined.writeBytes(part);
    }
    return joined.toByteArray();
  }

  private static byte[] unpack(byte[] packed) throws IOException {
    try (InputStream in = Codecs.open(new ByteArrayInputStream(packed))) {
      return in.readAllBytes();
    }
  }

  @ParameterizedTest
  @EnumSource
  void isReadBack(Writer writer) throws IOException {
    byte[] content = content(1);
    assertThat(unpack(writer.pack(content))).isEqualTo(content);
  }

  @ParameterizedTest
  @EnumSource
  void aSingleByte(Writer writer) throws IOException {
    assertThat(unpack(writer.pack(new byte[] {'{'}))).isEqualTo(new byte[] {'{'});
  }

  @ParameterizedTest
  @EnumSource
  void nothing(Writer writer) throws IOException {
    assertThat(unpack(writer.pack(new byte[0]))).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void streamsJoinedToOne(Writer writer) throws IOException {
    byte[] first = content(1);
    byte[] second = content(2);
    byte[] packed = join(writer.pack(first), writer.pack(second), writer.pack(new byte[] {'x'}));
    assertThat(unpack(packed)).isEqualTo(join(first, second, new byte[] {'x'}));
  }

  /** A pipe has nothing available while its writer is slow. */
  @Test
  void gzipMembersFromAPipe() throws IOException {
    byte[] packed = join(Writer.GZIP.pack(content(1)), Writer.GZIP.pack(content(2)));
    InputStream pipe =
        new ByteArrayInputStream(packed) {
          @Override
          public int available() {
            return 0;
          }

          @Override
          public int read(byte[] into, int offset, int length) {
            return super.read(into, offset, Math.min(100, length));
          }
        };
    assertThat(Codecs.open(pipe).readAllBytes()).isEqualTo(join(content(1), content(2)));
  }

  /** Spark flushes after events, and what was flushed is whole even where the process died. */
  @ParameterizedTest
  @EnumSource
  void whatWasFlushedBeforeACutIsRead(Writer writer) throws IOException {
    byte[] before = content(1);
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    OutputStream out = writer.to(packed);
    out.write(before);
    out.flush();
    int flushed = packed.size();
    out.write(content(2));
    out.flush();
    int cut = flushed + (packed.size() - flushed) / 2;
    byte[] read = readToBreak(Arrays.copyOf(packed.toByteArray(), cut), writer == Writer.PLAIN);
    assertThat(read.length).isGreaterThanOrEqualTo(before.length);
    assertThat(Arrays.copyOf(read, before.length)).isEqualTo(before);
    assertThat(Arrays.copyOfRange(read, before.length, read.length))
        .isEqualTo(Arrays.copyOf(content(2), read.length - before.length));
  }

  /** The last frame lacks its last bytes: all frames before it are read. */
  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "PLAIN")
  void framesBeforeACutOneAreRead(Writer writer) throws IOException {
    byte[] whole = writer.pack(content(1));
    byte[] last = writer.pack(content(2));
    for (int lost : new int[] {last.length / 3, last.length / 2, last.length - 40}) {
      byte[] read = readToBreak(join(whole, Arrays.copyOf(last, last.length - lost)), false);
      assertThat(read.length).isGreaterThanOrEqualTo(content(1).length);
      assertThat(Arrays.copyOf(read, content(1).length)).isEqualTo(content(1));
    }
  }

  private static byte[] readToBreak(byte[] packed, boolean ends) throws IOException {
    ByteArrayOutputStream read = new ByteArrayOutputStream();
    byte[] buffer = new byte[8192];
    boolean broke = false;
    try (InputStream in = Codecs.open(new ByteArrayInputStream(packed))) {
      for (int count = in.read(buffer, 0, 8192); count >= 0; count = in.read(buffer, 0, 8192)) {
        read.write(buffer, 0, count);
      }
    } catch (IOException | RuntimeException e) {
      broke = true;
    }
    assertThat(broke).as("tells of the cut").isEqualTo(!ends);
    return read.toByteArray();
  }

  /** Spark keeps one frame open as long as the application runs; flushed is what it wrote. */
  @ParameterizedTest
  @ValueSource(ints = {1, 10, 1_000, 50_000})
  void allThatWasFlushedIntoAnOpenZstdFrameIsRead(int lines) throws IOException {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    byte[] line = "{\"Event\":\"SparkListenerTaskEnd\",\"Stage ID\":7}\n".getBytes(UTF_8);
    OutputStream out = new ZstdOutputStreamNoFinalizer(packed, 3);
    for (int i = 0; i < lines; i++) {
      out.write(line);
    }
    out.flush();
    byte[] flushed = packed.toByteArray();
    for (int lost : new int[] {0, 1}) {
      byte[] read = readToBreak(Arrays.copyOf(flushed, flushed.length - lost), false);
      assertThat(read.length % line.length == 0 || lost > 0).isTrue();
      if (lost == 0) {
        assertThat(read.length).isEqualTo(lines * line.length);
      }
    }
  }

  /** The header tells the size of what is not there any more. */
  @Test
  void aZstdFrameOfKnownSizeThatIsCut() throws IOException {
    byte[] content = content(1);
    byte[] packed = Zstd.compress(content);
    byte[] read = readToBreak(Arrays.copyOf(packed, packed.length - 500), false);
    assertThat(read.length).isGreaterThan(content.length / 2);
    assertThat(read).isEqualTo(Arrays.copyOf(content, read.length));
  }

  @Test
  void zstdFramesToSkip() throws IOException {
    byte[] skippable = {0x53, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 'a', 'b', 'c'};
    byte[] packed =
        join(Writer.ZSTD.pack(content(1)), skippable, Writer.ZSTD.pack(content(2)), skippable);
    assertThat(unpack(packed)).isEqualTo(join(content(1), content(2)));
    assertThat(readToBreak(join(Writer.ZSTD.pack(content(1)), "other".getBytes(UTF_8)), false))
        .isEqualTo(content(1));
  }

  /**
   * Every byte flipped once: an exception, or other text, but never an endless loop or an Error.
   */
  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "PLAIN")
  void brokenInputNeverDoesHarm(Writer writer) throws IOException {
    byte[] packed =
        writer.pack("{\"Event\":\"SparkListenerTaskEnd\"}\n".repeat(50).getBytes(UTF_8));
    for (int i = 0; i < packed.length; i++) {
      for (int bit = 0; bit < 8; bit++) {
        byte[] broken = packed.clone();
        broken[i] ^= (byte) (1 << bit);
        try {
          assertThat(unpack(broken).length).isLessThan(10_000_000);
        } catch (IOException | RuntimeException e) {
          assertThat(e).isNotNull();
        }
      }
    }
  }

  @Test
  void aBlockThatClaimsToBeHugeIsRefused() throws IOException {
    byte[] lz4 = Writer.LZ4.pack(content(1));
    lz4[16] = 0x7f;
    assertThatThrownBy(() -> unpack(lz4)).isInstanceOf(IOException.class);
    byte[] snappy = Writer.SNAPPY.pack(content(1));
    snappy[16] = 0x7f;
    assertThatThrownBy(() -> unpack(snappy)).isInstanceOf(IOException.class);
  }

  @Test
  void shortFilesAreWhatTheyAre() throws IOException {
    for (String text : new String[] {"", "Z", "L", "LZ4", "\n"}) {
      assertThat(unpack(text.getBytes(UTF_8))).isEqualTo(text.getBytes(UTF_8));
    }
  }
}
