package io.sparkotel.agent.model;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Text that fits a limit and is valid UTF-8: lone surrogates become U+FFFD, since one of them makes
 * a receiver refuse the whole batch. Redact before cutting: a cut secret is no longer recognised.
 */
public final class Truncation {

  private static final char REPLACEMENT = '\uFFFD';

  private final String text;
  private final boolean cut;

  private Truncation(String text, boolean cut) {
    this.text = text;
    this.cut = cut;
  }

  /** The text: the instance that was given where nothing had to change; null for null. */
  public String text() {
    return text;
  }

  /** True where text was left out. */
  public boolean isCut() {
    return cut;
  }

  /** The same text, as one from which something was left out. */
  Truncation asCut() {
    return cut ? this : new Truncation(text, true);
  }

  /** At most {@code maxBytes} bytes of UTF-8, cut between code points. */
  public static Truncation toBytes(String text, int maxBytes) {
    return limit(text, maxBytes, true);
  }

  /** At most {@code maxChars} UTF-16 units, cut between code points. */
  public static Truncation toChars(String text, int maxChars) {
    return limit(text, maxChars, false);
  }

  /** The text without lone surrogates: the same instance where it has none; null for null. */
  public static String wellFormed(String text) {
    return limit(text, Integer.MAX_VALUE, false).text;
  }

  /** The length in bytes of the UTF-8 form; a lone surrogate counts as its replacement. */
  static int utf8Length(String text) {
    int bytes = 0;
    for (int i = 0; i < text.length(); i += widthAt(text, i)) {
      bytes += bytesAt(text, i);
    }
    return bytes;
  }

  /**
   * The text in parts of at most {@code maxBytesPerPart} bytes, together at most {@code
   * maxTotalBytes}. A part ends at a line boundary and the newline there belongs to no part; a line
   * longer than a part is cut, and so is a last part that exceeds the total.
   */
  public static Split splitLines(String text, int maxBytesPerPart, int maxTotalBytes) {
    if (text == null || text.isEmpty()) {
      return new Split(Collections.emptyList(), false);
    }
    List<String> parts = new ArrayList<>();
    StringBuilder part = new StringBuilder();
    int partBytes = 0;
    int left = maxTotalBytes;
    boolean cut = false;
    boolean empty = true;
    int start = 0;
    while (start <= text.length() && left > 0) {
      int newline = text.indexOf('\n', start);
      int end = newline < 0 ? text.length() : newline;
      // No more of a line is copied than a part can hold: a char is at least a byte.
      int bounded = end - start > maxBytesPerPart ? start + maxBytesPerPart + 1 : end;
      Truncation line = toBytes(text.substring(start, bounded), maxBytesPerPart);
      cut |= line.cut;
      int lineBytes = utf8Length(line.text);
      if (!empty && partBytes + 1 + lineBytes > maxBytesPerPart) {
        if (part.length() > 0) {
          parts.add(part.toString());
        }
        part.setLength(0);
        partBytes = 0;
        empty = true;
      }
      if (!empty) {
        part.append('\n');
        partBytes++;
        left--;
      }
      if (lineBytes > left) {
        line = toBytes(line.text, left);
        lineBytes = utf8Length(line.text);
        cut = true;
        left = lineBytes;
      }
      part.append(line.text);
      partBytes += lineBytes;
      left -= lineBytes;
      empty = false;
      start = end + 1;
    }
    if (part.length() > 0) {
      parts.add(part.toString());
    }
    return new Split(parts, cut || start < text.length());
  }

  private static Truncation limit(String text, int max, boolean inBytes) {
    if (text == null) {
      return new Truncation(null, false);
    }
    int limit = Math.max(0, max);
    // Three bytes are the most that a char can need: short text needs no counting.
    boolean fits = inBytes ? text.length() <= limit / 3 : text.length() <= limit;
    int used = 0;
    int clean = -1;
    int i = 0;
    StringBuilder out = null;
    while (i < text.length()) {
      char c = text.charAt(i);
      if (c < 0x80) {
        if (!fits && used + 1 > limit) {
          break;
        }
        used++;
        i++;
        continue;
      }
      int width = widthAt(text, i);
      int size = inBytes ? bytesAt(text, i) : width;
      if (!fits && used + size > limit) {
        break;
      }
      if (width == 1 && Character.isSurrogate(c)) {
        if (out == null) {
          out = new StringBuilder(Math.min(text.length(), limit) + 16);
        }
        out.append(text, clean + 1, i).append(REPLACEMENT);
        clean = i;
      }
      used += size;
      i += width;
    }
    boolean cut = i < text.length();
    if (out == null) {
      return new Truncation(cut ? text.substring(0, i) : text, cut);
    }
    return new Truncation(out.append(text, clean + 1, i).toString(), cut);
  }

  private static int widthAt(String text, int i) {
    return Character.isHighSurrogate(text.charAt(i))
            && i + 1 < text.length()
            && Character.isLowSurrogate(text.charAt(i + 1))
        ? 2
        : 1;
  }

  private static int bytesAt(String text, int i) {
    char c = text.charAt(i);
    if (c < 0x80) {
      return 1;
    }
    if (c < 0x800) {
      return 2;
    }
    return widthAt(text, i) == 2 ? 4 : 3;
  }

  /** Text in parts. */
  public static final class Split {

    private final List<String> parts;
    private final boolean cut;

    private Split(List<String> parts, boolean cut) {
      this.parts = Collections.unmodifiableList(parts);
      this.cut = cut;
    }

    /** In order, none of them empty; empty for empty or null text. */
    public List<String> parts() {
      return parts;
    }

    /** True where text was left out. */
    public boolean isCut() {
      return cut;
    }
  }
}
