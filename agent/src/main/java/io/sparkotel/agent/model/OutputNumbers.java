package io.sparkotel.agent.model;

import io.sparkotel.agent.telemetry.AttributeList;
import io.sparkotel.agent.telemetry.Names;

/** How much was written; each is null where nobody tells it. Immutable. */
final class OutputNumbers {

  static final OutputNumbers NONE = new OutputNumbers(null, null, null, null);

  private final Long rows;
  private final Long bytes;
  private final Long files;
  private final Long partitions;

  OutputNumbers(Long rows, Long bytes, Long files, Long partitions) {
    this.rows = rows;
    this.bytes = bytes;
    this.files = files;
    this.partitions = partitions;
  }

  boolean tellRows() {
    return rows != null;
  }

  void put(AttributeList.Builder to) {
    to.put(Names.SQL_OUTPUT_ROWS, rows);
    to.put(Names.SQL_OUTPUT_BYTES, bytes);
    to.put(Names.SQL_OUTPUT_FILES, files);
    to.put(Names.SQL_OUTPUT_PARTITIONS, partitions);
  }
}
