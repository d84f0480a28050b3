package io.sparkotel.agent.replay;

import io.sparkotel.bootstrap.ReplayFiles;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;

/** A file of one of Hadoop's file systems. */
public final class StoredFile implements LogFile {

  private final ReplayFiles files;
  private final ReplayFiles.Status status;
  private boolean failed;

  public StoredFile(ReplayFiles files, ReplayFiles.Status status) {
    this.files = files;
    this.status = status;
  }

  /** As it was when it was looked for. */
  public ReplayFiles.Status status() {
    return status;
  }

  /** Whether the file system could not give all of its bytes, whatever they are. */
  public boolean failed() {
    return failed;
  }

  @Override
  public String path() {
    return status.path;
  }

  @Override
  public String name() {
    return status.path.substring(status.path.lastIndexOf('/') + 1);
  }

  @Override
  public boolean isDirectory() {
    return status.isDirectory;
  }

  @Override
  public long length() {
    return status.length;
  }

  @Override
  public List<LogFile> children() throws IOException {
    List<LogFile> children = new ArrayList<>();
    for (ReplayFiles.Status child : files.children(status.path)) {
      children.add(new StoredFile(files, child));
    }
    return children;
  }

  @Override
  public InputStream open() throws IOException {
    try {
      return new NotingFailure(files.open(status.path));
    } catch (IOException e) {
      failed = true;
      throw e;
    }
  }

  private final class NotingFailure extends FilterInputStream {
    NotingFailure(InputStream in) {
      super(in);
    }

    @Override
    public int read() throws IOException {
      try {
        return super.read();
      } catch (IOException e) {
        failed = true;
        throw e;
      }
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      try {
        return super.read(into, offset, length);
      } catch (IOException e) {
        failed = true;
        throw e;
      }
    }
  }
}
