package io.sparkotel.agent.model;

import io.sparkotel.agent.event.ApplicationStart;
import io.sparkotel.agent.telemetry.AttributeList;
import io.sparkotel.agent.telemetry.Entity;
import io.sparkotel.agent.telemetry.Names;
import java.util.regex.Pattern;

/** Pages of the history server: the application's by the setting, those below it by Spark's ids. */
final class HistoryPages {

  /** Only behind such an end Spark's own paths go on. */
  private static final Pattern APPLICATION_PAGE = Pattern.compile(".*\\{(?:app_id|attempt)}/*");

  private final String page;
  private final String base;

  private HistoryPages(String page, String base) {
    this.page = page;
    this.base = base;
  }

  /**
   * @param template of the application's page, or null
   */
  static HistoryPages of(String template, ApplicationStart start, Redactor redactor) {
    if (template == null || start.id == null) {
      return new HistoryPages(null, null);
    }
    String attempt = start.attemptId == null ? "" : start.attemptId;
    String page = template.replace("{app_id}", start.id).replace("{attempt}", attempt);
    page = redactor.text(page);
    String base = null;
    if (APPLICATION_PAGE.matcher(template).matches()) {
      int end = page.length();
      while (end > 0 && page.charAt(end - 1) == '/') {
        end--;
      }
      base = page.substring(0, end);
    }
    return new HistoryPages(page, base);
  }

  /** The application's page, as the setting says. */
  void putApplication(AttributeList.Builder attributes) {
    Limits.putText(attributes, Names.HISTORY_URL, page, Limits.MESSAGE);
  }

  /** The page of a SQL execution, a job or a stage attempt; others have none. */
  void put(AttributeList.Builder attributes, Entity entity, long id, long attempt) {
    if (base == null) {
      return;
    }
    switch (entity) {
      case SQL:
        put(attributes, "/SQL/execution/?id=" + id);
        break;
      case JOB:
        put(attributes, "/jobs/job/?id=" + id);
        break;
      case STAGE:
        put(attributes, "/stages/stage/?id=" + id + "&attempt=" + attempt);
        break;
      default:
    }
  }

  private void put(AttributeList.Builder attributes, String path) {
    Limits.putText(attributes, Names.HISTORY_URL, base + path, Limits.MESSAGE);
  }
}
