package io.sparkotel.scenarios;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.apache.spark.SparkContext;

/**
 * Spark's Thrift server as its script starts it, and three users who ask it by JDBC: statements
 * that succeed, that fail in the analysis and in a task, that are cancelled and that take too long.
 */
public final class ThriftServer {

  /** Twenty seconds, if it is let. */
  private static final String SLOW =
      "select count(*) from range(0, 4000, 1, 400)"
          + " where java_method('java.lang.Thread', 'sleep', 10L) = 'late'";

  private ThriftServer() {}

  public static void main(String[] args) throws Exception {
    String port = args[0];
    Class.forName("org.apache.spark.sql.hive.thriftserver.HiveThriftServer2")
        .getMethod("main", String[].class)
        .invoke(
            null,
            (Object)
                new String[] {
                  "--hiveconf",
                  "hive.server2.thrift.port=" + port,
                  "--hiveconf",
                  "hive.server2.thrift.bind.host=127.0.0.1"
                });
    String url = "jdbc:hive2://127.0.0.1:" + port + "/";
    try (Connection ann = connect(url, "ann");
        Connection bob = connect(url, "bob");
        Connection carl = connect(url, "carl")) {
      run(ann, "create table people using parquet as select id, 'secret' as name from range(4)");
      run(ann, "select count(*) from people where name <> 'nobody'");
      run(ann, "show tables");
      run(bob, "select nothing from people");
      run(bob, "select id, assert_true(id < 2) from people");
      cancelled(carl);
      late(carl);
    }
    SparkContext.getOrCreate().stop();
    System.exit(0);
  }

  /** The server opens its port on a thread of its own. */
  private static Connection connect(String url, String user) throws Exception {
    for (int attempt = 0; ; attempt++) {
      try {
        return DriverManager.getConnection(url, user, "");
      } catch (SQLException e) {
        if (attempt == 300) {
          throw e;
        }
        Thread.sleep(100);
      }
    }
  }

  private static void run(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      int rows = 0;
      if (statement.execute(sql)) {
        try (ResultSet result = statement.getResultSet()) {
          while (result.next()) {
            rows++;
          }
        }
      }
      System.out.println("rows: " + rows);
    } catch (SQLException e) {
      System.out.println("failed");
    }
  }

  private static void cancelled(Connection connection) throws Exception {
    try (Statement statement = connection.createStatement()) {
      Thread thread =
          new Thread(
              () -> {
                try {
                  statement.execute(SLOW);
                } catch (SQLException e) {
                  System.out.println("cancelled");
                }
              });
      thread.start();
      while (SparkContext.getOrCreate().statusTracker().getActiveJobIds().length == 0) {
        Thread.sleep(20);
      }
      statement.cancel();
      thread.join();
    }
  }

  private static void late(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.setQueryTimeout(1);
      statement.execute(SLOW);
    } catch (SQLException e) {
      System.out.println("late");
    }
  }
}
