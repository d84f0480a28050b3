package io.sparkotel.replay;

import io.sparkotel.bootstrap.ReplayFiles;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** Files through Hadoop; goes to executors with the driver's configuration of Hadoop. */
final class HadoopFiles implements ReplayFiles, Serializable {

  private static final long serialVersionUID = 1;

  private transient Configuration configuration;

  HadoopFiles(Configuration configuration) {
    this.configuration = configuration;
  }

  @Override
  public List<Status> find(String path) throws IOException {
    Path asked = path(path);
    FileSystem files = asked.getFileSystem(configuration);
    try {
      List<Status> one = new ArrayList<>();
      one.add(status(files.getFileStatus(asked)));
      return one;
    } catch (FileNotFoundException e) {
      // No name, but perhaps a glob.
      return statuses(files.globStatus(asked));
    }
  }

  @Override
  public List<Status> children(String directory) throws IOException {
    Path path = path(directory);
    return statuses(path.getFileSystem(configuration).listStatus(path));
  }

  @Override
  public InputStream open(String file) throws IOException {
    Path path = path(file);
    return path.getFileSystem(configuration).open(path);
  }

  @Override
  public void write(String file, byte[] content) throws IOException {
    Path path = path(file);
    try (OutputStream out = path.getFileSystem(configuration).create(path, true)) {
      out.write(content);
    }
  }

  private static Path path(String path) throws IOException {
    try {
      return new Path(path);
    } catch (IllegalArgumentException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private static List<Status> statuses(FileStatus[] found) {
    List<Status> all = new ArrayList<>();
    if (found != null) {
      for (FileStatus status : found) {
        all.add(status(status));
      }
    }
    return all;
  }

  private static Status status(FileStatus status) {
    return new Status(
        status.getPath().toString(),
        status.isDirectory(),
        status.getLen(),
        status.getModificationTime());
  }

  private void writeObject(ObjectOutputStream out) throws IOException {
    out.defaultWriteObject();
    configuration.write(out);
  }

  private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
    in.defaultReadObject();
    configuration = new Configuration(false);
    configuration.readFields(in);
  }
}
