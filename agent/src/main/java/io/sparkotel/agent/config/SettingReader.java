package io.sparkotel.agent.config;

import io.sparkotel.agent.config.ConfigSources.Source;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Finds the value of a setting: the strongest source that has a usable one, else the default. */
final class SettingReader {

  private static final Source[] SOURCES = Source.values();

  /** A value and where it came from. */
  static final class Found<T> {
    final T value;

    /** The setting that gave the value: the traces-only one or the general one. */
    final Setting<T> setting;

    /** Null where the value is the default. */
    final Source source;

    final String text;

    Found(T value, Setting<T> setting, Source source, String text) {
      this.value = value;
      this.setting = setting;
      this.source = source;
      this.text = text;
    }
  }

  private static final class Bad {
    final Setting<?> setting;
    final Source source;
    final String text;
    final String complaint;

    Bad(Setting<?> setting, Source source, String text, String complaint) {
      this.setting = setting;
      this.source = source;
      this.text = text;
      this.complaint = complaint;
    }
  }

  private final ConfigSources sources;
  private final ConfigProblems problems;
  private final Set<Setting<?>> locked;

  SettingReader(ConfigSources sources, ConfigProblems problems) {
    this.sources = sources;
    this.problems = problems;
    sources.open(problems);
    locked = sources.locked(problems);
    sources.reportUnknown(problems);
  }

  <T> T read(Setting<T> setting) {
    return find(setting).value;
  }

  boolean isLocked(Setting<?> setting) {
    return locked.contains(setting);
  }

  /** A setting that overrides a general one gets the general one's value where it has none. */
  <T> Found<T> find(Setting<T> setting) {
    List<Bad> bad = new ArrayList<>();
    Found<T> found = null;
    for (Setting<T> s = setting; s != null && found == null; s = s.general()) {
      found = search(s, bad);
    }
    if (found == null) {
      found = new Found<>(setting.defaultValue(), setting, null, null);
    }
    for (Bad b : bad) {
      problems.badValue(
          b.setting, b.text, sources.describe(b.source, b.setting), b.complaint, using(found));
    }
    return found;
  }

  /** Reports a value that was found, but does not fit the others. */
  void complain(Found<?> found, String complaint, String using) {
    problems.badValue(found.setting, found.text, describe(found), complaint, using);
  }

  private <T> Found<T> search(Setting<T> setting, List<Bad> bad) {
    Found<T> found = null;
    for (Source source : SOURCES) {
      String text = sources.raw(source, setting);
      if (text == null) {
        continue;
      }
      if (!ConfigSources.allows(source, setting)) {
        problems.ignored(
            setting, text, sources.describe(source, setting), "this key cannot be set here");
      } else if (locked.contains(setting) && source != Source.PLATFORM_FILE) {
        problems.ignored(
            setting, text, sources.describe(source, setting), "the platform's file locks this key");
      } else if (found == null) {
        StringBuilder complaint = new StringBuilder();
        T value = setting.type().parse(text, complaint);
        if (value != null) {
          found = new Found<>(value, setting, source, text);
          if (complaint.length() > 0) {
            complain(found, complaint.toString(), "the rest of it");
          }
        } else if (complaint.length() > 0) {
          bad.add(new Bad(setting, source, text, complaint.toString()));
        }
      }
    }
    return found;
  }

  private String using(Found<?> found) {
    if (found.source == null) {
      return found.setting.defaultText();
    }
    return ConfigProblems.show(found.setting, found.text) + " (" + describe(found) + ")";
  }

  private String describe(Found<?> found) {
    return sources.describe(found.source, found.setting);
  }
}
