package io.sparkotel.agent.model;

import io.sparkotel.agent.event.ExecutorLinks;
import io.sparkotel.agent.telemetry.AttributeList;
import io.sparkotel.agent.telemetry.Names;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Where to look further for the executors of an application. Of those that are gone the last ones
 * are kept: that a task was lost with its executor is told after the executor's removal.
 */
final class KnownExecutors {

  static final int MAX_ACTIVE = 10_000;
  static final int MAX_REMOVED = 1_000;

  private static final String POD_PREFIX = "spark.kubernetes.executor.podNamePrefix";
  private static final String POD_ALLOCATOR = "spark.kubernetes.allocation.pods.allocator";
  private static final String DIRECT = "direct";

  private final Map<String, ExecutorLinks> active = new Bounded(MAX_ACTIVE);
  private final Map<String, ExecutorLinks> removed = new Bounded(MAX_REMOVED);
  private String podPrefix;

  void environment(Map<String, String> conf) {
    String master = conf.get("spark.master");
    boolean direct = DIRECT.equals(conf.getOrDefault(POD_ALLOCATOR, DIRECT));
    if (direct && master != null && master.startsWith("k8s")) {
      podPrefix = conf.get(POD_PREFIX);
    }
  }

  void added(String id, ExecutorLinks links) {
    active.put(id, links);
  }

  void removed(String id) {
    ExecutorLinks links = active.remove(id);
    if (links != null) {
      removed.put(id, links);
    }
  }

  int size() {
    return active.size() + removed.size();
  }

  /** Puts where to look further for that executor; null is none. */
  void put(AttributeList.Builder attributes, String id, Redactor redactor) {
    if (id == null) {
      return;
    }
    ExecutorLinks links = active.getOrDefault(id, removed.get(id));
    if (links != null) {
      Limits.putText(attributes, Names.EXECUTOR_LOG_URL, redactor.text(links.log), Limits.MESSAGE);
      Limits.putText(
          attributes, Names.EXECUTOR_STDOUT_URL, redactor.text(links.stdout), Limits.MESSAGE);
    }
    Limits.putText(attributes, Names.EXECUTOR_POD, pod(id, links), Limits.WORD);
  }

  /** Spark names the pods that it makes itself by a prefix and the executor's number. */
  private String pod(String id, ExecutorLinks links) {
    if (links != null && links.pod != null) {
      return links.pod;
    }
    return podPrefix == null || !Character.isDigit(id.isEmpty() ? ' ' : id.charAt(0))
        ? null
        : podPrefix + "-exec-" + id;
  }

  private static final class Bounded extends LinkedHashMap<String, ExecutorLinks> {
    private static final long serialVersionUID = 1L;
    private final int max;

    Bounded(int max) {
      this.max = max;
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<String, ExecutorLinks> eldest) {
      return size() > max;
    }
  }
}
