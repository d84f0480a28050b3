package io.sparkotel.agent.model;

import java.util.ArrayList;
import java.util.List;

/** Stack traces that fit a limit: what is left out is what says least. */
public final class StackTraces {

  private static final String CAUSED_BY = "Caused by: ";

  /** Of a longer chain of causes the middle is left out. */
  private static final int FIRST_SECTIONS = 4;

  private static final int LAST_SECTIONS = 12;

  /** Tried in this order: {bytes of a header, frames of the user's in a section}. */
  private static final int[][] STEPS = {
    {4000, Integer.MAX_VALUE}, {2000, 30}, {1000, 15}, {500, 8}, {400, 3}, {300, 1}, {200, 0},
  };

  private StackTraces() {}

  /**
   * The trace in at most {@code maxBytes} bytes of UTF-8. One that fits stays as it is. Of a longer
   * one runs of frames of Spark, Scala, the JDK and the like become {@code ... 12 frames of
   * org.apache.spark}, then the user's frames far from the throw go; the chain of causes stays.
   */
  public static Truncation shorten(String trace, int maxBytes) {
    Truncation whole = Truncation.toBytes(trace, maxBytes);
    if (!whole.isCut()) {
      return whole;
    }
    List<Section> sections = sections(trace);
    String shorter = "";
    for (int[] step : STEPS) {
      shorter = render(sections, step[0], step[1], maxBytes);
      if (Truncation.utf8Length(shorter) <= maxBytes) {
        break;
      }
    }
    // Where the trace has nothing to leave out, as a long message without frames, the cut is all.
    return shorter.length() >= trace.length()
        ? whole
        : Truncation.toBytes(shorter, maxBytes).asCut();
  }

  /**
   * The first line of the deepest cause, without {@code Caused by:}; without causes the first line
   * that is not blank; null for null or blank text.
   */
  public static String rootCauseLine(String trace) {
    if (trace == null) {
      return null;
    }
    int start = trace.lastIndexOf('\n' + CAUSED_BY);
    if (start >= 0) {
      start += 1 + CAUSED_BY.length();
    } else {
      start = trace.startsWith(CAUSED_BY) ? CAUSED_BY.length() : 0;
    }
    while (start < trace.length() && trace.charAt(start) <= ' ') {
      start++;
    }
    int end = trace.indexOf('\n', start);
    String line = trace.substring(start, end < 0 ? trace.length() : end).trim();
    return line.isEmpty() ? null : line;
  }

  /** Cuts the text into a section for the exception and one for each cause. */
  private static List<Section> sections(String trace) {
    List<Section> sections = new ArrayList<>();
    Section section = new Section(0);
    sections.add(section);
    int start = 0;
    while (start < trace.length()) {
      int newline = trace.indexOf('\n', start);
      int end = newline < 0 ? trace.length() : newline;
      if (start > 0 && trace.startsWith(CAUSED_BY, start)) {
        section = new Section(start);
        sections.add(section);
      }
      boolean frame = trace.startsWith("\tat ", start) || trace.startsWith("\t...", start);
      if (frame && section.frames == 0) {
        section.headerEnd = start;
      }
      section.frames += frame ? 1 : 0;
      section.end = end;
      start = end + 1;
    }
    for (Section each : sections) {
      each.trace = trace;
      if (each.frames == 0) {
        each.headerEnd = each.end;
      }
    }
    return sections;
  }

  private static String render(List<Section> sections, int headerBytes, int userFrames, int max) {
    StringBuilder out = new StringBuilder(max);
    int skippedFrom = FIRST_SECTIONS;
    int skippedTo = Math.max(skippedFrom, sections.size() - LAST_SECTIONS);
    for (int i = 0; i < sections.size(); i++) {
      if (i >= skippedFrom && i < skippedTo) {
        if (i == skippedFrom) {
          out.append("... ").append(skippedTo - skippedFrom).append(" causes\n");
        }
        continue;
      }
      sections.get(i).render(out, headerBytes, userFrames, max);
      if (out.length() > max) {
        break;
      }
    }
    int length = out.length();
    while (length > 0 && out.charAt(length - 1) <= ' ') {
      length--;
    }
    out.setLength(length);
    return out.toString();
  }

  /** An exception: its class and message, then its frames. */
  private static final class Section {
    final int start;
    String trace;
    int headerEnd;
    int end;
    int frames;

    Section(int start) {
      this.start = start;
      this.headerEnd = start;
      this.end = start;
    }

    void render(StringBuilder out, int headerBytes, int userFrames, int max) {
      // Header lines are ASCII as a rule: what does not fit by chars does not fit by bytes.
      int stop = Math.min(headerEnd, start + headerBytes + 1);
      Truncation header = Truncation.toBytes(trace.substring(start, stop), headerBytes);
      String text = header.text();
      out.append(text, 0, trimmed(text)).append(header.isCut() ? "...\n" : "\n");
      Fold fold = new Fold(out);
      int shown = 0;
      int at = headerEnd;
      boolean first = true;
      while (at < end && out.length() <= max) {
        int newline = trace.indexOf('\n', at);
        int lineEnd = newline < 0 || newline > end ? end : newline;
        String line = trace.substring(at, Math.min(lineEnd, at + 1000));
        at = lineEnd + 1;
        StackFrame frame = line.startsWith("\tat ") ? StackFrame.parse(line) : null;
        if (frame == null && (trimmed(line) == 0 || line.startsWith("\t... "))) {
          continue;
        }
        if (frame == null && shown >= userFrames) {
          fold.add("other lines");
        } else if ((first || frame == null || frame.isUser()) && shown < userFrames) {
          fold.flush();
          out.append(line, 0, trimmed(line)).append('\n');
          shown++;
        } else {
          fold.add(frame.isUser() ? "the application" : frame.origin());
        }
        first = false;
      }
      fold.flush();
    }

    private static int trimmed(String text) {
      int length = text.length();
      while (length > 0 && text.charAt(length - 1) <= ' ') {
        length--;
      }
      return length;
    }
  }

  /** A run of frames in one line, named after Spark where one of them is of Spark. */
  private static final class Fold {
    private final StringBuilder out;
    private String origin;
    private int count;

    Fold(StringBuilder out) {
      this.out = out;
    }

    void add(String frameOrigin) {
      if (origin == null || frameOrigin.equals("org.apache.spark")) {
        origin = frameOrigin;
      }
      count++;
    }

    void flush() {
      if (count > 0) {
        out.append("\t... ").append(count).append(count == 1 ? " frame of " : " frames of ");
        out.append(origin).append('\n');
      }
      origin = null;
      count = 0;
    }
  }
}
