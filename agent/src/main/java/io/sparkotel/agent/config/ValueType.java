package io.sparkotel.agent.config;

/**
 * How the text of a setting becomes a value. Named classes rather than lambdas: these run at the
 * start of every Spark application, where the first lambda of a JVM is dear.
 */
public abstract class ValueType<T> {

  private final String legal;

  ValueType(String legal) {
    this.legal = legal;
  }

  /** The legal values in words, empty where any text is legal. */
  public String legal() {
    return legal;
  }

  /**
   * Reads a trimmed text that is not empty.
   *
   * @param complaint takes what is wrong; never repeats the text, which may be a secret
   * @return the value; with a complaint, what of it is usable; null where nothing is, and without a
   *     complaint where the text sets nothing
   */
  abstract T parse(String text, StringBuilder complaint);
}
