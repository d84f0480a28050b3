package io.sparkotel.agent.config;

import io.sparkotel.agent.config.SettingReader.Found;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** What is set, and where, for people. Secrets are {@code ***}. */
public final class ConfigReport {

  private ConfigReport() {}

  /**
   * {@code KEY=VALUE (SOURCE)} for every setting that some source gives; what is wrong is not in.
   */
  public static List<String> lines(ConfigSources sources) {
    SettingReader reader = new SettingReader(sources, new ConfigProblems());
    List<String> lines = new ArrayList<>();
    for (Setting<?> setting : Settings.all()) {
      Found<?> found = reader.find(setting);
      if (found.source != null && found.setting == setting) {
        String line = line(setting, found.text, sources.describe(found.source, setting));
        Setting<?> stronger = stronger(setting, reader);
        lines.add(stronger == null ? line : line + "; " + stronger + " counts instead");
      }
    }
    String inherited = sources.environment(ParentConfig.TRACEPARENT);
    boolean free =
        reader.find(Settings.TRACEPARENT).source == null && !reader.isLocked(Settings.TRACEPARENT);
    if (inherited != null && free) {
      String source = "environment " + ParentConfig.TRACEPARENT;
      lines.add(line(Settings.TRACEPARENT, inherited, source));
    }
    return Collections.unmodifiableList(lines);
  }

  private static String line(Setting<?> setting, String value, String source) {
    String shown = ConfigProblems.show(setting, value);
    return ConfigProblems.oneLine(setting + "=" + shown + " (" + source + ")");
  }

  /** The traces-only form of a general setting, where it has a value of its own, or null. */
  private static Setting<?> stronger(Setting<?> general, SettingReader reader) {
    for (Setting<?> setting : Settings.all()) {
      if (setting.general() == general) {
        Found<?> found = reader.find(setting);
        return found.source != null && found.setting == setting ? setting : null;
      }
    }
    return null;
  }
}
