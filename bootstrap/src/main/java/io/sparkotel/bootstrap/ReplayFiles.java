package io.sparkotel.bootstrap;

import java.io.IOException;
import java.io.InputStream;
import java.io.Serializable;
import java.util.List;

/** Hadoop's file systems, as the replay behind its own class loader sees them. */
public interface ReplayFiles {

  /** A file or directory. */
  final class Status implements Serializable {
    private static final long serialVersionUID = 1;

    /** Whole, with the scheme. */
    public final String path;

    public final boolean isDirectory;

    /** In bytes. */
    public final long length;

    /** Epoch milliseconds. */
    public final long modified;

    public Status(String path, boolean isDirectory, long length, long modified) {
      this.path = path;
      this.isDirectory = isDirectory;
      this.length = length;
      this.modified = modified;
    }
  }

  /**
   * What is at a path, or what a glob matches; empty where there is nothing.
   *
   * @param path without a scheme on Hadoop's default file system
   */
  List<Status> find(String path) throws IOException;

  /** What lies directly in a directory, in any order. */
  List<Status> children(String directory) throws IOException;

  InputStream open(String path) throws IOException;

  /** Writes a file anew, with the directories above it. */
  void write(String path, byte[] content) throws IOException;
}
