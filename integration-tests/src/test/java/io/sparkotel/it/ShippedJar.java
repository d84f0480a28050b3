package io.sparkotel.it;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

/** The shipped jar from inside, and copies of it that are changed on purpose. */
final class ShippedJar {

  /** The entry that holds the agent behind its own class loader. */
  static final String INNER = "META-INF/spark-otel/agent.jar";

  private ShippedJar() {}

  /** Files of the outer jar by name, in their order. */
  static Map<String, byte[]> outer() {
    try {
      return files(Files.readAllBytes(Layout.agentJar()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static byte[] inner() {
    return outer().get(INNER);
  }

  /** Files of a jar by name, in their order. */
  static Map<String, byte[]> files(byte[] jar) {
    Map<String, byte[]> files = new LinkedHashMap<>();
    try (ZipInputStream in = new ZipInputStream(new ByteArrayInputStream(jar))) {
      for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
        if (!entry.isDirectory()) {
          files.put(entry.getName(), in.readAllBytes());
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return files;
  }

  /** Names of the classes of a jar, with dots. */
  static List<String> classes(byte[] jar) {
    return files(jar).keySet().stream()
        .filter(name -> name.endsWith(".class"))
        .map(name -> name.substring(0, name.length() - ".class".length()).replace('/', '.'))
        .toList();
  }

  /** A copy of the shipped jar with another inner jar, which is stored as the real one is. */
  static Path copyWithInner(Path to, byte[] inner) {
    Map<String, byte[]> files = outer();
    files.put(INNER, inner);
    write(to, files, INNER);
    return to;
  }

  /**
   * The inner jar with one file changed.
   *
   * @param change gives null where the file is to be left out
   */
  static byte[] innerWith(String name, UnaryOperator<byte[]> change) {
    Map<String, byte[]> files = files(inner());
    byte[] before = files.remove(name);
    if (before == null) {
      throw new AssertionError("no " + name + " in the inner jar");
    }
    byte[] after = change.apply(before);
    if (after != null) {
      files.put(name, after);
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    write(bytes, files, null);
    return bytes.toByteArray();
  }

  /** Writes a jar of those files. */
  static Path write(Path to, Map<String, byte[]> files) {
    write(to, files, null);
    return to;
  }

  private static void write(Path to, Map<String, byte[]> files, String stored) {
    try {
      Files.createDirectories(to.getParent());
      try (OutputStream out = Files.newOutputStream(to)) {
        write(out, files, stored);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void write(OutputStream to, Map<String, byte[]> files, String stored) {
    try (ZipOutputStream out = new ZipOutputStream(to)) {
      for (Map.Entry<String, byte[]> file : files.entrySet()) {
        ZipEntry entry = new ZipEntry(file.getKey());
        if (file.getKey().equals(stored)) {
          CRC32 crc = new CRC32();
          crc.update(file.getValue());
          entry.setMethod(ZipEntry.STORED);
          entry.setSize(file.getValue().length);
          entry.setCrc(crc.getValue());
        }
        out.putNextEntry(entry);
        out.write(file.getValue());
        out.closeEntry();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
