package io.sparkotel.agent.config;

import java.util.Map;
import java.util.TreeMap;

/** The settings that have a usable value somewhere, for another JVM without the same sources. */
public final class GivenSettings {

  private GivenSettings() {}

  /**
   * Every setting that counts and is not the default, by its key; to be read again as system
   * properties. Holds secrets.
   *
   * @param parent what {@link AgentConfig#parent} gives, which comes from elsewhere too
   */
  public static Map<String, String> of(ConfigSources sources, ParentConfig parent) {
    // Its complaints are those that loading the same sources gives.
    SettingReader reader = new SettingReader(sources, new ConfigProblems());
    Map<String, String> given = new TreeMap<>();
    for (Setting<?> setting : Settings.all()) {
      // Those of the platform's file itself are of no use elsewhere: what is in it is here.
      if (setting.scope() != Setting.Scope.FILE && setting != Settings.CONFIG_FILE) {
        SettingReader.Found<?> found = reader.find(setting);
        if (found.source != null) {
          given.put(found.setting.key(), found.text);
        }
      }
    }
    if (parent.traceparent() != null) {
      given.put(Settings.TRACEPARENT.key(), parent.traceparent());
    }
    if (parent.tracestate() != null) {
      given.put(Settings.TRACESTATE.key(), parent.tracestate());
    }
    return given;
  }
}
