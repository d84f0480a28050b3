package io.sparkotel.agent.replay;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;

/** A file of this machine. */
final class LocalFile implements LogFile {

  private final File file;

  LocalFile(File file) {
    this.file = file;
  }

  @Override
  public String path() {
    return file.getPath();
  }

  @Override
  public String name() {
    return file.getName();
  }

  @Override
  public boolean isDirectory() {
    return file.isDirectory();
  }

  @Override
  public long length() {
    return file.length();
  }

  @Override
  public List<LogFile> children() throws IOException {
    File[] found = file.listFiles();
    if (found == null) {
      throw new IOException("cannot be read");
    }
    List<LogFile> children = new ArrayList<>();
    for (File child : found) {
      children.add(new LocalFile(child));
    }
    return children;
  }

  @Override
  public InputStream open() throws IOException {
    return new FileInputStream(file);
  }
}
