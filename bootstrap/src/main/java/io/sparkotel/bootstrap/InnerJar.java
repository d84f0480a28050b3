package io.sparkotel.bootstrap;

import java.io.EOFException;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Reads single entries of the jar inside the agent's jar. The inner jar is stored uncompressed, so
 * an entry is found by its offset; a plain JVM never pays for the inner jar's thousands of names.
 * The layout read here is the ZIP format's, APPNOTE 4.3.
 */
final class InnerJar {

  private static final String NAME = "META-INF/spark-otel/agent.jar";
  private static final int END_HEADER = 22;
  private static final int END_SIGNATURE = 0x06054b50;
  private static final int CENTRAL_HEADER = 46;
  private static final int CENTRAL_SIGNATURE = 0x02014b50;
  private static final int LOCAL_HEADER = 30;
  private static final int DEFLATED = 8;

  private final ZipFile outer;
  private final ZipEntry inner;
  private final Map<String, Entry> entries;

  InnerJar(File file) throws IOException {
    outer = new ZipFile(file);
    inner = outer.getEntry(NAME);
    if (inner == null || inner.getMethod() != ZipEntry.STORED) {
      throw new IOException(NAME + " is not stored in " + file);
    }
    entries = readDirectory();
  }

  boolean has(String name) {
    return entries.containsKey(name);
  }

  /** The bytes of an entry, or null where there is none. */
  byte[] read(String name) throws IOException {
    Entry entry = entries.get(name);
    if (entry == null) {
      return null;
    }
    byte[] header = bytesAt(entry.offset, LOCAL_HEADER);
    int skip = LOCAL_HEADER + shortAt(header, 26) + shortAt(header, 28);
    byte[] data = bytesAt(entry.offset + skip, entry.compressedSize);
    return entry.method == DEFLATED ? inflate(data, entry.size) : data;
  }

  private Map<String, Entry> readDirectory() throws IOException {
    byte[] end = bytesAt(inner.getSize() - END_HEADER, END_HEADER);
    if (intAt(end, 0) != END_SIGNATURE) {
      throw new IOException(NAME + " has no end header");
    }
    byte[] directory = bytesAt(intAt(end, 16) & 0xffffffffL, intAt(end, 12));
    Map<String, Entry> found = new HashMap<>(2 * shortAt(end, 10));
    for (int at = 0; at < directory.length; ) {
      if (intAt(directory, at) != CENTRAL_SIGNATURE) {
        throw new IOException(NAME + " has a broken directory");
      }
      int nameLength = shortAt(directory, at + 28);
      String name = new String(directory, at + CENTRAL_HEADER, nameLength, StandardCharsets.UTF_8);
      found.put(
          name,
          new Entry(
              shortAt(directory, at + 10),
              intAt(directory, at + 20),
              intAt(directory, at + 24),
              intAt(directory, at + 42) & 0xffffffffL));
      at += CENTRAL_HEADER + nameLength + shortAt(directory, at + 30) + shortAt(directory, at + 32);
    }
    return found;
  }

  private byte[] bytesAt(long offset, int length) throws IOException {
    byte[] bytes = new byte[length];
    try (InputStream in = outer.getInputStream(inner)) {
      for (long left = offset; left > 0; ) {
        long skipped = in.skip(left);
        if (skipped <= 0) {
          throw new EOFException(NAME);
        }
        left -= skipped;
      }
      for (int at = 0; at < length; ) {
        int count = in.read(bytes, at, length - at);
        if (count < 0) {
          throw new EOFException(NAME);
        }
        at += count;
      }
    }
    return bytes;
  }

  private static byte[] inflate(byte[] data, int size) throws IOException {
    Inflater inflater = new Inflater(true);
    try {
      inflater.setInput(data);
      byte[] bytes = new byte[size];
      for (int at = 0; at < size; ) {
        int count = inflater.inflate(bytes, at, size - at);
        if (count == 0) {
          throw new EOFException(NAME);
        }
        at += count;
      }
      return bytes;
    } catch (DataFormatException e) {
      throw new IOException(e);
    } finally {
      inflater.end();
    }
  }

  private static int shortAt(byte[] bytes, int at) {
    return (bytes[at] & 0xff) | (bytes[at + 1] & 0xff) << 8;
  }

  private static int intAt(byte[] bytes, int at) {
    return shortAt(bytes, at) | shortAt(bytes, at + 2) << 16;
  }

  private static final class Entry {
    final int method;
    final int compressedSize;
    final int size;
    final long offset;

    Entry(int method, int compressedSize, int size, long offset) {
      this.method = method;
      this.compressedSize = compressedSize;
      this.size = size;
      this.offset = offset;
    }
  }
}
