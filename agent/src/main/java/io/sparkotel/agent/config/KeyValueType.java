package io.sparkotel.agent.config;

import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** Comma-separated {@code key=value} pairs with percent-encoded values. */
final class KeyValueType extends ValueType<Map<String, String>> {
  private final boolean headers;

  KeyValueType(boolean headers) {
    super("key=value,key=value with percent-encoded values");
    this.headers = headers;
  }

  @Override
  Map<String, String> parse(String text, StringBuilder complaint) {
    Map<String, String> map = new LinkedHashMap<>();
    int number = 0;
    for (String part : text.split(",")) {
      String entry = part.trim();
      if (entry.isEmpty()) {
        continue;
      }
      number++;
      int equals = entry.indexOf('=');
      if (equals <= 0) {
        complain(complaint, number, equals < 0 ? "has no '='" : "has no key");
        continue;
      }
      String key = entry.substring(0, equals).trim();
      String encoded = entry.substring(equals + 1).trim();
      if (encoded.isEmpty()) {
        continue;
      }
      String value = decode(encoded);
      if (value == null) {
        complain(complaint, number, "is not percent-encoded");
      } else if (headers && !isHeader(key, value)) {
        complain(complaint, number, "has characters that a header cannot carry");
      } else {
        map.put(key, value);
      }
    }
    return map.isEmpty() ? null : Collections.unmodifiableMap(map);
  }

  private static void complain(StringBuilder complaint, int number, String what) {
    complaint.append(complaint.length() == 0 ? "" : ", ");
    complaint.append("entry ").append(number).append(' ').append(what);
  }

  /**
   * OpenTelemetry's Java SDK reads the two lists differently, and so do we: a plus sign in a header
   * is a space and a broken escape an error; in a resource attribute both stand for themselves.
   */
  private String decode(String encoded) {
    if (encoded.indexOf('%') < 0 && (!headers || encoded.indexOf('+') < 0)) {
      return encoded;
    }
    byte[] in = encoded.getBytes(StandardCharsets.UTF_8);
    byte[] out = new byte[in.length];
    int length = 0;
    for (int i = 0; i < in.length; i++) {
      byte b = in[i];
      if (b == '%') {
        int high = i + 2 < in.length ? Character.digit(in[i + 1], 16) : -1;
        int low = i + 2 < in.length ? Character.digit(in[i + 2], 16) : -1;
        if (high >= 0 && low >= 0) {
          b = (byte) (high << 4 | low);
          i += 2;
        } else if (headers) {
          return null;
        }
      } else if (b == '+' && headers) {
        b = ' ';
      }
      out[length++] = b;
    }
    return new String(out, 0, length, StandardCharsets.UTF_8);
  }

  private static boolean isHeader(String key, String value) {
    for (int i = 0; i < key.length(); i++) {
      char c = key.charAt(i);
      if (c <= ' ' || c >= 0x7F || "\"(),/:;<=>?@[\\]{}".indexOf(c) >= 0) {
        return false;
      }
    }
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c != '\t' && (c < ' ' || c >= 0x7F)) {
        return false;
      }
    }
    return true;
  }
}
