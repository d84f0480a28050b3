package io.sparkotel.agent.config;

import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** Numbers, with or without a unit, in a range. */
final class NumberType {

  private NumberType() {}

  static final class Quantity extends ValueType<Long> {
    private final long min;
    private final long max;
    private final String[] units;
    private final long[] factors;

    Quantity(String noun, long min, long max, String[] units, long[] factors) {
      super(noun + ", " + range(min, max));
      this.min = min;
      this.max = max;
      this.units = units;
      this.factors = factors;
    }

    @Override
    Long parse(String text, StringBuilder complaint) {
      String number = text.toLowerCase(Locale.ROOT);
      long factor = 1;
      for (int i = 0; i < units.length; i++) {
        if (number.endsWith(units[i])) {
          number = number.substring(0, number.length() - units[i].length()).trim();
          factor = factors[i];
          break;
        }
      }
      long value;
      try {
        value = Math.multiplyExact(Long.parseLong(number), factor);
      } catch (NumberFormatException e) {
        complaint.append("not a whole number");
        return null;
      } catch (ArithmeticException e) {
        complaint.append("out of range");
        return null;
      }
      return inRange(value, min, max, complaint);
    }
  }

  static final class Duration extends ValueType<Long> {
    private static final String[] UNITS = {"ns", "us", "ms", "s", "m", "h", "d"};
    private static final TimeUnit[] TIME_UNITS = {
      TimeUnit.NANOSECONDS,
      TimeUnit.MICROSECONDS,
      TimeUnit.MILLISECONDS,
      TimeUnit.SECONDS,
      TimeUnit.MINUTES,
      TimeUnit.HOURS,
      TimeUnit.DAYS
    };

    private final long min;
    private final long max;

    Duration(long min, long max) {
      super("milliseconds, or a number with ns, us, ms, s, m, h or d, " + range(min, max));
      this.min = min;
      this.max = max;
    }

    @Override
    Long parse(String text, StringBuilder complaint) {
      int end = text.length();
      while (end > 0 && !isDigit(text.charAt(end - 1))) {
        end--;
      }
      String unit = text.substring(end).trim();
      TimeUnit timeUnit = unit.isEmpty() ? TimeUnit.MILLISECONDS : null;
      for (int i = 0; i < UNITS.length; i++) {
        if (UNITS[i].equals(unit)) {
          timeUnit = TIME_UNITS[i];
        }
      }
      long number;
      try {
        number = Long.parseLong(text.substring(0, end).trim());
      } catch (NumberFormatException e) {
        complaint.append("not a whole number with an optional unit");
        return null;
      }
      if (timeUnit == null) {
        complaint.append("unknown unit of time");
        return null;
      }
      // Rounded up: 0 can mean "no limit", so that a short time must not become 0.
      long millis = timeUnit.toMillis(number);
      boolean cut = timeUnit.convert(millis, TimeUnit.MILLISECONDS) < number;
      return inRange(cut ? millis + 1 : millis, min, max, complaint);
    }
  }

  static final class Decimal extends ValueType<Double> {
    private final double min;
    private final double max;

    Decimal(double min, double max) {
      super("a number from " + (long) min + " to " + (long) max);
      this.min = min;
      this.max = max;
    }

    @Override
    Double parse(String text, StringBuilder complaint) {
      double value;
      try {
        value = Double.parseDouble(text);
      } catch (NumberFormatException e) {
        complaint.append("not a number");
        return null;
      }
      if (!(value >= min && value <= max)) {
        complaint.append("out of range");
        return null;
      }
      return value;
    }
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  private static Long inRange(long value, long min, long max, StringBuilder complaint) {
    if (value < min || value > max) {
      complaint.append(value < 0 ? "negative" : "out of range");
      return null;
    }
    return value;
  }

  private static String range(long min, long max) {
    return max == Long.MAX_VALUE ? "at least " + min : "from " + min + " to " + max;
  }
}
