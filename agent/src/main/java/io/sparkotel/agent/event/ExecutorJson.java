package io.sparkotel.agent.event;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/** Reads what a log tells of executors and their resource profiles. */
final class ExecutorJson {

  private ExecutorJson() {}

  /** Without an id where the event has none. */
  static ExecutorAdded added(JsonFields fields) throws IOException {
    ExecutorAdded event = new ExecutorAdded();
    while (fields.next()) {
      switch (fields.name()) {
        case "Timestamp":
          event.time = fields.number();
          break;
        case "Executor ID":
          event.executorId = fields.text();
          break;
        case "Executor Info":
          info(fields, event);
          break;
        default:
          fields.skip();
      }
    }
    return event;
  }

  private static void info(JsonFields fields, ExecutorAdded event) throws IOException {
    if (!fields.enter()) {
      return;
    }
    Map<String, String> logs = new HashMap<>();
    Map<String, String> attributes = new HashMap<>();
    while (fields.next()) {
      switch (fields.name()) {
        case "Log Urls":
          fields.texts(logs);
          break;
        case "Attributes":
          fields.texts(attributes);
          break;
        case "Total Cores":
          event.cores = (int) fields.number();
          break;
        case "Resource Profile Id":
          event.profileId = (int) fields.number();
          break;
        default:
          fields.skip();
      }
    }
    event.links = ExecutorLinks.of(logs, attributes);
  }

  /** With the id -1 where the event has none. */
  static ResourceProfile profile(JsonFields fields) throws IOException {
    ResourceProfile profile = new ResourceProfile();
    profile.id = -1;
    while (fields.next()) {
      switch (fields.name()) {
        case "Resource Profile Id":
          profile.id = fields.id();
          break;
        case "Executor Resource Requests":
          resources(fields, profile, true);
          break;
        case "Task Resource Requests":
          resources(fields, profile, false);
          break;
        default:
          fields.skip();
      }
    }
    return profile;
  }

  private static void resources(JsonFields fields, ResourceProfile profile, boolean ofExecutor)
      throws IOException {
    if (!fields.enter()) {
      return;
    }
    while (fields.next()) {
      String name = fields.name();
      if (!fields.enter()) {
        continue;
      }
      while (fields.next()) {
        if (!fields.is("Amount")) {
          fields.skip();
        } else if (ofExecutor) {
          profile.executorResource(name, fields.numberOr(ResourceProfile.UNSET));
        } else {
          profile.taskResource(name, fields.numberOr(ResourceProfile.UNSET));
        }
      }
    }
  }
}
