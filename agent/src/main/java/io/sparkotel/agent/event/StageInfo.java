package io.sparkotel.agent.event;

import java.util.List;

/** Spark's {@code StageInfo} as it was when its event was posted. */
public final class StageInfo {
  public int id;
  public int attempt;
  public String name;

  /** The long call site. */
  public String details;

  public int tasks;
  public List<String> parentIds;

  /** Its {@link ResourceProfile}; 0 is the default one, and what there was before Spark 3.1. */
  public int profileId;

  public Long submissionTime;
  public Long completionTime;
  public String failureReason;

  /**
   * Of a completed stage, what its tasks added to SQL metrics: the accumulator's id and its value
   * alternate. Null where it has none.
   */
  public long[] sqlMetrics;
}
