package io.sparkotel.agent.event;

import java.util.Map;
import java.util.TreeMap;

/** Where to look further for an executor, as far as Spark tells it when the executor registers. */
public final class ExecutorLinks {

  private static final String STDERR = "stderr";
  private static final String STDOUT = "stdout";

  /** A longer address is none that Spark made; cut it would lead nowhere. */
  private static final int MAX_URL_CHARS = 2_000;

  /** By which a pod may be told, where executors are started with such an attribute. */
  private static final String[] POD_ATTRIBUTES = {"POD_NAME", "KUBERNETES_POD_NAME"};

  /** Address of the log that Spark itself writes to, or null. */
  public final String log;

  /** Address of the standard output, or null. */
  public final String stdout;

  /** Name of the pod on Kubernetes where the executor told it, or null. */
  public final String pod;

  private ExecutorLinks(String log, String stdout, String pod) {
    this.log = log;
    this.stdout = stdout;
    this.pod = pod;
  }

  /**
   * @param logUrls addresses by the name of the log
   * @param attributes what a cluster manager tells of the executor
   * @return null where there is nothing to be led to
   */
  public static ExecutorLinks of(Map<String, String> logUrls, Map<String, String> attributes) {
    TreeMap<String, String> urls = new TreeMap<>(logUrls);
    urls.values().removeIf(url -> url == null || url.isEmpty() || url.length() > MAX_URL_CHARS);
    String stdout = urls.remove(STDOUT);
    String log = urls.get(STDERR);
    if (log == null && !urls.isEmpty()) {
      // A pattern of the user's may name one log for all.
      log = urls.firstEntry().getValue();
    }
    String pod = null;
    for (String name : POD_ATTRIBUTES) {
      pod = pod == null ? attributes.get(name) : pod;
    }
    return log == null && stdout == null && pod == null
        ? null
        : new ExecutorLinks(log, stdout, pod);
  }
}
