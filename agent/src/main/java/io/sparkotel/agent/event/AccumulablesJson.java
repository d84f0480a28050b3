package io.sparkotel.agent.event;

import java.io.IOException;

/** The accumulables of a stage in an event log. */
final class AccumulablesJson {

  private static final String SQL = "sql";

  private AccumulablesJson() {}

  /** Ids and values of those that are SQL metrics, alternating; null where there are none. */
  static long[] sqlMetrics(JsonFields fields) throws IOException {
    AccumulatorValues values = new AccumulatorValues();
    for (boolean more = fields.enterArray(); more && fields.nextElement(); ) {
      if (fields.enter()) {
        add(fields, values);
      }
    }
    long[] pairs = values.toArray();
    return pairs.length == 0 ? null : pairs;
  }

  private static void add(JsonFields fields, AccumulatorValues values) throws IOException {
    long id = -1;
    Long value = null;
    boolean sql = false;
    while (fields.next()) {
      switch (fields.name()) {
        case "ID":
          id = fields.numberOr(-1);
          break;
        case "Value":
          value = fields.wholeNumber();
          break;
        case "Metadata":
          sql = SQL.equals(fields.text());
          break;
        default:
          fields.skip();
      }
    }
    if (sql && id >= 0 && value != null) {
      values.add(id, value);
    }
  }
}
