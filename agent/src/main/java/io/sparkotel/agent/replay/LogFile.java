package io.sparkotel.agent.replay;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;

/** A file or directory that may hold event logs, of this machine or of another file system. */
public interface LogFile {

  String path();

  /** The last part of the path. */
  String name();

  boolean isDirectory();

  /** In bytes. */
  long length();

  /** What lies directly in the directory, in any order. */
  List<LogFile> children() throws IOException;

  /** The bytes as they are stored. */
  InputStream open() throws IOException;
}
