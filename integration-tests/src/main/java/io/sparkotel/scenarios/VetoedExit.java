package io.sparkotel.scenarios;

import java.security.Permission;
import java.util.Arrays;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;

/** A security manager forbids the exit with 33, upon which main goes on to its end. */
public final class VetoedExit {

  private VetoedExit() {}

  public static void main(String[] args) {
    JavaSparkContext sc = new JavaSparkContext(new SparkConf().setAppName("vetoed exit"));
    System.out.println("count: " + sc.parallelize(Arrays.asList(1, 2, 3), 1).count());
    System.setSecurityManager(new NoExit());
    try {
      System.exit(33);
    } catch (SecurityException e) {
      System.out.println(e.getMessage());
    }
    sc.stop();
  }

  private static final class NoExit extends SecurityManager {
    @Override
    public void checkExit(int status) {
      if (status == 33) {
        throw new SecurityException("vetoed: 33");
      }
    }

    @Override
    public void checkPermission(Permission permission) {
      // All but the exit is allowed.
    }
  }
}
