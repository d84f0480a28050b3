package io.sparkotel.agent.event;

import java.io.IOException;
import java.util.Map;

/** The events of Spark's servers in an event log. */
final class ServerJson {

  private static final Map<String, ServerEvent.Type> FIELDS = ServerEvent.fields();

  private ServerJson() {}

  /** Fills the event; gives what is missing, or null. */
  static String read(ServerEvent event, JsonFields fields) throws IOException {
    while (fields.next()) {
      String name = fields.name();
      ServerEvent.Type type = FIELDS.get(name);
      if (type == null) {
        fields.skip();
      } else if (type == ServerEvent.Type.TEXT) {
        event.put(name, fields.text());
      } else if (type == ServerEvent.Type.NUMBER) {
        event.put(name, fields.numberOrNull());
      } else {
        event.put(name, fields.texts());
      }
    }
    boolean missing = event.kind != ServerEvent.Kind.OTHER && event.operationId == null;
    return missing ? "without its operation" : null;
  }
}
