package io.sparkotel.agent.event;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.exc.InputCoercionException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The fields of any JSON. */
final class JsonFields extends EventFields {

  /** Of the longest number that a long holds. */
  private static final int MAX_NUMBER_CHARS = 20;

  private final JsonParser parser;
  private FieldOrder field;
  private String name;

  /**
   * @param order of the fields as earlier events of that kind had them
   */
  JsonFields(JsonParser parser, FieldOrder order) {
    this.parser = parser;
    this.field = order;
  }

  @Override
  boolean next() throws IOException {
    FieldOrder expected = field.next();
    if (expected != null && parser.nextFieldName(expected.text())) {
      field = expected;
    } else {
      if (expected == null) {
        parser.nextToken();
      }
      if (parser.currentToken() != JsonToken.FIELD_NAME) {
        return false;
      }
      field = field.follow(parser.currentName());
    }
    name = field.name();
    parser.nextToken();
    return true;
  }

  @Override
  String name() {
    return name;
  }

  boolean is(String field) {
    return field.equals(name);
  }

  @Override
  void skip() throws IOException {
    parser.skipChildren();
  }

  @Override
  boolean enter() throws IOException {
    if (parser.currentToken() == JsonToken.START_OBJECT) {
      return true;
    }
    parser.skipChildren();
    return false;
  }

  /** Goes into the array that is the current value; skips anything else. */
  boolean enterArray() throws IOException {
    if (parser.currentToken() == JsonToken.START_ARRAY) {
      return true;
    }
    parser.skipChildren();
    return false;
  }

  /** Goes to the next element of the current array; false at its end. */
  boolean nextElement() throws IOException {
    return parser.nextToken() != JsonToken.END_ARRAY && parser.currentToken() != null;
  }

  Long numberOrNull() throws IOException {
    switch (parser.currentToken()) {
      case VALUE_NUMBER_INT:
        try {
          return parser.getLongValue();
        } catch (InputCoercionException e) {
          // No long holds it: nothing that Spark wrote.
          return null;
        }
      case VALUE_NUMBER_FLOAT:
        return (long) parser.getDoubleValue();
      default:
        parser.skipChildren();
        return null;
    }
  }

  /** A whole number, or a text that is one, as Spark writes values of accumulators; or null. */
  Long wholeNumber() throws IOException {
    if (parser.currentToken() != JsonToken.VALUE_STRING) {
      return numberOrNull();
    }
    if (parser.getTextLength() > MAX_NUMBER_CHARS) {
      return null;
    }
    try {
      return Long.valueOf(parser.getText());
    } catch (NumberFormatException e) {
      // An accumulator of another kind.
      return null;
    }
  }

  @Override
  long numberOr(long absent) throws IOException {
    Long number = numberOrNull();
    return number == null ? absent : number;
  }

  /** NaN of what is no number, as Spark writes it too. */
  double decimal() throws IOException {
    if (parser.currentToken().isNumeric()) {
      return parser.getDoubleValue();
    }
    parser.skipChildren();
    return Double.NaN;
  }

  @Override
  boolean bool() throws IOException {
    boolean value = parser.currentToken() == JsonToken.VALUE_TRUE;
    parser.skipChildren();
    return value;
  }

  @Override
  String text() throws IOException {
    JsonToken token = parser.currentToken();
    if (token == JsonToken.VALUE_STRING) {
      return parser.getText();
    }
    boolean scalar = token.isScalarValue() && token != JsonToken.VALUE_NULL;
    if (!scalar) {
      parser.skipChildren();
      return null;
    }
    return parser.getText();
  }

  /** The scalars of an array. */
  List<String> texts() throws IOException {
    List<String> texts = new ArrayList<>();
    for (boolean more = enterArray(); more && nextElement(); ) {
      String text = text();
      if (text != null) {
        texts.add(text);
      }
    }
    return texts;
  }

  /** The scalar fields of an object. */
  void texts(Map<String, String> into) throws IOException {
    if (enter()) {
      while (next()) {
        String key = name;
        String text = text();
        if (text != null) {
          into.put(key, text);
        }
      }
    }
  }
}
