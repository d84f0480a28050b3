package io.sparkotel.agent.model;

import java.util.regex.Pattern;

/**
 * What the nodes of native engines do, by the name that Spark's own node for it has: Gluten's
 * {@code ShuffledHashJoinExecTransformer}, RAPIDS' {@code GpuShuffledHashJoin}, {@code
 * CometHashJoin} and {@code PhotonShuffledHashJoin} are all a {@code ShuffledHashJoin}.
 */
final class NativeNodes {

  private static final String[] PREFIXES = {
    "Gpu", "Photon", "Comet", "Velox", "Cudf", "Arrow", "Native", "CH"
  };

  private static final String[] SUFFIXES = {"ExecTransformer", "Transformer"};

  /** A command is named behind this. */
  private static final String EXECUTE = "Execute ";

  /** Delta's own nodes, as Gluten wraps them. */
  private static final String DELTA = "GlutenDelta ";

  /** Which of its readers a scan of Comet's has. */
  private static final Pattern IMPLEMENTATION = Pattern.compile("^ \\[\\w{1,40}](?= )");

  private NativeNodes() {}

  /**
   * The name of Spark's own node that does the same, with the rest of the name as it is; the name
   * itself where no engine is known by it.
   */
  static String sparks(String name) {
    String plain = name.startsWith(DELTA) ? name.substring(DELTA.length()) : name;
    if (plain.startsWith("Gpu" + EXECUTE)) {
      plain = plain.substring("Gpu".length());
    }
    if (plain.startsWith(EXECUTE)) {
      String command = plain.substring(EXECUTE.length());
      return command.startsWith("Gpu") ? EXECUTE + command.substring("Gpu".length()) : plain;
    }
    int end = 0;
    while (end < plain.length() && Character.isLetterOrDigit(plain.charAt(end))) {
      end++;
    }
    String word = withoutSuffix(withoutPrefixes(plain.substring(0, end)));
    boolean sparksOwn = word.length() == end && !word.startsWith("Columnar");
    return sparksOwn
        ? plain
        : known(word) + IMPLEMENTATION.matcher(plain.substring(end)).replaceFirst("");
  }

  private static String withoutPrefixes(String word) {
    String rest = word;
    for (int i = 0; i < PREFIXES.length; i++) {
      String prefix = PREFIXES[i];
      if (rest.startsWith(prefix)
          && rest.length() > prefix.length()
          && Character.isUpperCase(rest.charAt(prefix.length()))) {
        rest = rest.substring(prefix.length());
        // Some have two: CometNativeScan.
        i = -1;
      }
    }
    return rest;
  }

  private static String withoutSuffix(String word) {
    for (String suffix : SUFFIXES) {
      if (word.endsWith(suffix) && word.length() > suffix.length()) {
        return word.substring(0, word.length() - suffix.length());
      }
    }
    return word;
  }

  /** What is named otherwise than Spark's. */
  private static String known(String word) {
    switch (word) {
      case "HashJoin":
      case "ShuffledSymmetricHashJoin":
      case "ShuffledAsymmetricHashJoin":
        return "ShuffledHashJoin";
      case "ColumnarExchange":
      case "ShuffleExchangeSink":
        return "Exchange";
      case "ColumnarBroadcastExchange":
        return "BroadcastExchange";
      case "FileSourceScan":
      case "DeltaScan":
        return "Scan";
      case "IcebergScan":
      case "IcebergNativeScan":
        return "BatchScan";
      case "CustomShuffleReader":
      case "AQEShuffleRead":
        return "AQEShuffleRead";
      default:
        return word;
    }
  }

  /**
   * Whether such a node hands on the rows that it gets: between rows and columns, or a shuffle's
   * other half.
   *
   * @param sparks as {@link #sparks} gives it
   */
  static boolean passesOn(String sparks) {
    switch (sparks) {
      case "InputIterator":
      case "CoalesceBatches":
      case "ResizeBatches":
      case "ShuffleCoalesce":
      case "ShuffleExchangeSource":
      case "ShuffleMapStage":
      case "ResultStage":
      case "RowToColumnar":
      case "SparkToColumnar":
      case "SparkRowToColumnar":
      case "SparkColumnarToColumnar":
        return true;
      default:
        return PlanText.isHidden(sparks) || sparks.startsWith("ColumnarToRow");
    }
  }
}
