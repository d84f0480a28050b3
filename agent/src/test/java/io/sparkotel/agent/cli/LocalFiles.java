package io.sparkotel.agent.cli;

import io.sparkotel.bootstrap.ReplayFiles;
import java.io.File;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The disk as the job's files; one of them may be made to break off. */
final class LocalFiles implements ReplayFiles {

  private final String broken;

  LocalFiles() {
    this(null);
  }

  /**
   * @param broken the name of a file whose reading fails
   */
  LocalFiles(String broken) {
    this.broken = broken;
  }

  @Override
  public List<Status> find(String path) throws IOException {
    List<Status> found = new ArrayList<>();
    Path asked = Path.of(path);
    if (Files.exists(asked)) {
      found.add(status(asked));
    } else if (Files.isDirectory(asked.getParent())) {
      try (DirectoryStream<Path> all =
          Files.newDirectoryStream(asked.getParent(), asked.getFileName().toString())) {
        for (Path one : all) {
          found.add(status(one));
        }
      }
    }
    return found;
  }

  @Override
  public List<Status> children(String directory) throws IOException {
    List<Status> found = new ArrayList<>();
    try (DirectoryStream<Path> all = Files.newDirectoryStream(Path.of(directory))) {
      for (Path one : all) {
        found.add(status(one));
      }
    }
    return found;
  }

  @Override
  public InputStream open(String path) throws IOException {
    InputStream in = Files.newInputStream(Path.of(path));
    if (!path.endsWith("/" + broken)) {
      return in;
    }
    return new FilterInputStream(in) {
      private boolean begun;

      @Override
      public int read(byte[] into, int offset, int length) throws IOException {
        if (begun) {
          throw new IOException("the disk is gone");
        }
        begun = true;
        return super.read(into, offset, Math.min(length, 1_000));
      }

      /** What was read is to be used before the failure. */
      @Override
      public int available() {
        return 0;
      }
    };
  }

  @Override
  public void write(String path, byte[] content) throws IOException {
    Files.createDirectories(Path.of(path).getParent());
    Files.write(Path.of(path), content);
  }

  private static Status status(Path path) {
    File file = path.toFile();
    return new Status(file.getPath(), file.isDirectory(), file.length(), file.lastModified());
  }
}
