package io.sparkotel.agent.model;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/**
 * Literals of one text that stand beside a column with a secret's name, in expressions of plans
 * ({@code (password#12 = x)}) and of SQL, and arguments of calls in code.
 */
final class SecretExpressions {

  private static final int MAX_LITERAL_CHARS = 512;
  private static final int MAX_NAME_CHARS = 64;
  private static final int MAX_CLOSED_CALLS = 4;

  /** Operators that are words; NOT may stand before them. */
  private static final String[] OPERATORS = {
    "in", "inset", "like", "ilike", "rlike", "not in", "not like", "not ilike", "not rlike"
  };

  /** What a data source is told to filter by, and functions that compare or replace a value. */
  private static final Set<String> COMPARING =
      new HashSet<>(
          Arrays.asList(
              "equalto",
              "equalnullsafe",
              "greaterthan",
              "greaterthanorequal",
              "lessthan",
              "lessthanorequal",
              "in",
              "startswith",
              "endswith",
              "contains",
              "stringstartswith",
              "stringendswith",
              "stringcontains"));

  /** What they return may be a literal that stands for a secret. */
  private static final Set<String> REPLACING =
      new HashSet<>(Arrays.asList("coalesce", "nvl", "ifnull", "nullif"));

  /** Of what these return nothing can be learned. */
  private static final Set<String> MEASURING =
      new HashSet<>(
          Arrays.asList("length", "char_length", "octet_length", "size", "count", "isnull"));

  /** Calls in code that take a key and a value; a tuple has no name. */
  private static final Set<String> SETTERS =
      new HashSet<>(
          Arrays.asList(
              "",
              "option",
              "set",
              "config",
              "conf",
              "setconf",
              "put",
              "property",
              "setproperty",
              "setlocalproperty",
              "add",
              "header",
              "addheader",
              "setheader",
              "setenv",
              "putenv",
              "setdefault",
              "of",
              "entry",
              "param"));

  private final String text;
  private final int length;
  private final ValueSyntax syntax;
  private final RedactedText redacted;
  private final Redactor rules;
  private final SecretValues values;

  SecretExpressions(
      Redactor rules, ValueSyntax syntax, RedactedText redacted, SecretValues values) {
    this.text = redacted.text;
    this.length = text.length();
    this.syntax = syntax;
    this.redacted = redacted;
    this.rules = rules;
    this.values = values;
  }

  /**
   * Replaces literals before and behind the column that is named here; returns where the last
   * ended, or the end of the word for none.
   */
  int literals(int from, int end) {
    int idEnd = idEnd(end);
    boolean column = idEnd > end || isUnresolved(from, end) || isPushed(from, end);
    int operator = column ? syntax.skipSpaces(callsEnd(idEnd)) : syntax.skipSpaces(end);
    int start = column ? literalStart(from, operator) : quotedStart(end, operator);
    int before = literalBefore(from, column);
    if ((start == operator && before == from) || !rules.isSecret(text, from, end)) {
      return end;
    }
    if (before < from) {
      redacted.replace(before, literalBeforeEnd(from));
    }
    if (start == operator || isMeasured(from)) {
      return column ? idEnd : end;
    }
    if (!column) {
      int stop = values.replace(start, false, false);
      return stop > start ? stop : end;
    }
    int stop = literalEnd(start, Character.isLetter(text.charAt(operator)));
    boolean same = text.startsWith(text.substring(from, end) + "#", start);
    boolean done =
        text.startsWith(Redactor.REPLACEMENT, start)
            && start + Redactor.REPLACEMENT.length() == stop;
    return same || done ? stop : redacted.replace(start, stop);
  }

  /** Over {@code #12L}. */
  private int idEnd(int nameEnd) {
    int end = nameEnd + 1;
    if (nameEnd >= length || text.charAt(nameEnd) != '#') {
      return nameEnd;
    }
    while (end < length && end < nameEnd + 20 && isDigit(text.charAt(end))) {
      end++;
    }
    if (end == nameEnd + 1) {
      return nameEnd;
    }
    return end < length && text.charAt(end) == 'L' ? end + 1 : end;
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  /** {@code 'password} in a plan that was not analyzed. */
  private boolean isUnresolved(int from, int end) {
    return from > 0
        && text.charAt(from - 1) == '\''
        && end < length
        && text.charAt(end) == ' '
        && (from == 1 || !ValueSyntax.isWordPart(text.charAt(from - 2)));
  }

  /** {@code EqualTo(password,x)}: what is pushed down names no ids. */
  private boolean isPushed(int from, int end) {
    return end < length && text.charAt(end) == ',' && COMPARING.contains(callee(from));
  }

  /** Over the ends of calls and casts around a column: {@code cast(password#1 as string))}. */
  private int callsEnd(int from) {
    int end = from;
    for (int i = 0; i < MAX_CLOSED_CALLS; i++) {
      int close = end;
      if (text.startsWith(" as ", close)) {
        close += " as ".length();
        while (close < length && ValueSyntax.isWordPart(text.charAt(close))) {
          close++;
        }
      }
      if (close >= length || text.charAt(close) != ')') {
        break;
      }
      end = close + 1;
    }
    return end;
  }

  /** Behind the operator that is here; where it starts for none. */
  private int literalStart(int name, int from) {
    if (from < length && text.charAt(from) == ',') {
      String callee = callee(name);
      boolean learned = COMPARING.contains(callee) || REPLACING.contains(callee);
      return learned ? syntax.skipSpaces(from + 1) : from;
    }
    int operator = operatorEnd(from);
    return operator < length && operator > from && ValueSyntax.isSpace(text.charAt(operator))
        ? syntax.skipSpaces(operator)
        : from;
  }

  /** Of SQL that names no column's id the literal has to be quoted. */
  private int quotedStart(int end, int from) {
    int operator = from == end ? from : isEnd(from);
    operator = operator > from || from == end ? operator : operatorEnd(from);
    int start = syntax.skipSpaces(operator);
    if (operator == from || start >= length || syntax.separatorEnd(from) > from) {
      return from;
    }
    int quote = text.charAt(start) == '(' ? start + 1 : start;
    return syntax.quoteStart(quote) >= 0 ? start : from;
  }

  /** {@code The password is 'x'}. */
  private int isEnd(int from) {
    if (text.startsWith("is ", from)) {
      return from + 2;
    }
    return text.startsWith("was ", from) ? from + 3 : from;
  }

  private int operatorEnd(int from) {
    if (from >= length || "<=>!iIlLrRnN".indexOf(text.charAt(from)) < 0) {
      return from;
    }
    int end = from;
    while (end < length && end < from + 3 && "<=>!".indexOf(text.charAt(end)) >= 0) {
      end++;
    }
    if (end > from) {
      return end;
    }
    for (String operator : OPERATORS) {
      int stop = from + operator.length();
      if (text.regionMatches(true, from, operator, 0, operator.length())
          && stop < length
          && (text.charAt(stop) == ' ' || text.charAt(stop) == '(')) {
        return stop;
      }
    }
    return from;
  }

  /**
   * Where the enclosing parenthesis closes, or the line ends; a literal without parentheses around
   * its comparison ends before the next condition as well.
   */
  private int literalEnd(int from, boolean open) {
    int depth = 0;
    int i = from;
    for (; i < length && !ValueSyntax.isLineEnd(text.charAt(i)); i++) {
      char c = text.charAt(i);
      if (c == '(' || c == '[') {
        depth++;
      } else if ((c == ')' || c == ']') && --depth < 0) {
        return i;
      } else if (c == ' ' && open && depth == 0 && isCondition(i)) {
        return i;
      }
    }
    return i;
  }

  private boolean isCondition(int at) {
    return text.startsWith(" AND ", at) || text.startsWith(" OR ", at);
  }

  private boolean isMeasured(int name) {
    return MEASURING.contains(callee(name));
  }

  /** The function whose first argument starts here, in lower case; empty for none. */
  private String callee(int argument) {
    int end = argument - 1;
    if (end < 0 || text.charAt(end) != '(') {
      return "";
    }
    int start = end;
    while (start > 0
        && start > end - MAX_NAME_CHARS
        && (ValueSyntax.isWordPart(text.charAt(start - 1)) || text.charAt(start - 1) == '_')) {
      start--;
    }
    return text.substring(start, end).toLowerCase(Locale.ROOT);
  }

  /** {@code x AS password}. */
  private boolean isAlias(int from) {
    return from > 4 && text.regionMatches(true, from - 4, " as ", 0, 4);
  }

  /** Where the literal starts that the column here is compared with, or that it names. */
  private int literalBefore(int from, boolean column) {
    int end = literalBeforeEnd(from);
    if (end <= redacted.written()) {
      return from;
    }
    boolean alias = isAlias(from);
    char last = text.charAt(end - 1);
    int bound = Math.max(redacted.written(), end - MAX_LITERAL_CHARS);
    int start = end;
    if (last == '\'' || last == '"') {
      start--;
      while (start > bound && text.charAt(start - 1) != last) {
        start--;
      }
      return start > bound ? start : from;
    }
    if (!column) {
      // In SQL what has no quotes is a name.
      return from;
    }
    while (start > bound && !startsLiteral(text.charAt(start - 1), alias)) {
      start--;
    }
    boolean expression = start > 0 && text.charAt(start - 1) == ')';
    start = syntax.skipSpaces(start);
    return expression || isExpression(start, end) ? from : start;
  }

  private static boolean startsLiteral(char c, boolean alias) {
    return c == '(' || c == ')' || ValueSyntax.isLineEnd(c) || (alias && (c == ',' || c == '['));
  }

  private boolean isExpression(int from, int end) {
    for (int i = from; i + 1 < end; i++) {
      if (text.charAt(i) == '#' && isDigit(text.charAt(i + 1))) {
        return true;
      }
    }
    return from >= end || text.substring(from, end).equals("null");
  }

  /** Where the literal ends that is before the column here; 0 for none. */
  private int literalBeforeEnd(int from) {
    if (isAlias(from)) {
      return from - 4;
    }
    int i = from - 1;
    if (i < 1 || text.charAt(i) != ' ' || "<=>".indexOf(text.charAt(i - 1)) < 0) {
      return 0;
    }
    while (i > 0 && i > from - 5 && "<=>!".indexOf(text.charAt(i - 1)) >= 0) {
      i--;
    }
    return i > 0 && text.charAt(i - 1) == ' ' ? i - 1 : 0;
  }

  /**
   * Replaces the argument that belongs to this word: {@code option("password", "x")}, {@code
   * (spark.x.password,y)}, {@code setPassword("x")}; returns its end, or the word's for none.
   */
  int argument(int from, int end) {
    if (end >= length) {
      return end;
    }
    char before = from == 0 ? ' ' : text.charAt(from - 1);
    int start = end;
    if (text.charAt(end) == '(') {
      if (syntax.quoteStart(end + 1) >= 0 && SecretKeys.takesSecret(text, from, end)) {
        start = end + 1;
      }
    } else if (text.charAt(end) == ',') {
      // A list of columns looks nearly the same.
      if (before == '(' && isSetting(from, end)) {
        return redacted.replace(end + 1, literalEnd(end + 1, false));
      }
    } else if (ValueSyntax.isQuote(text.charAt(end)) && before == text.charAt(end)) {
      int comma = syntax.skipSpaces(end + 1);
      int value = syntax.skipSpaces(comma + 1);
      if (comma < length
          && text.charAt(comma) == ','
          && syntax.quoteStart(value) >= 0
          && SETTERS.contains(callee(from - 1))
          && hasOpenCall(from - 1)
          && rules.isSecret(text, from, end)) {
        start = value;
      }
    }
    if (start == end) {
      return end;
    }
    int stop = values.replace(start, false, false);
    return stop > start ? stop : end;
  }

  private boolean hasOpenCall(int quote) {
    return quote > 0 && text.charAt(quote - 1) == '(';
  }

  private boolean isSetting(int from, int end) {
    boolean dotted = false;
    for (int i = from; i < end && i < from + MAX_NAME_CHARS * 4; i++) {
      dotted |= text.charAt(i) == '.';
    }
    return dotted
        && callee(from).isEmpty()
        && end + 1 < length
        && text.charAt(end + 1) > ' '
        && rules.isSecret(text, from, end);
  }
}
