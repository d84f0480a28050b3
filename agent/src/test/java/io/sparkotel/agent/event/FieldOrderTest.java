package io.sparkotel.agent.event;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FieldOrderTest {

  private static final JsonFactory JSON = new JsonFactory();

  /** The scalar fields, with those of an object {@code in} gone into. */
  private static List<String> read(FieldOrder order, String json) throws IOException {
    try (JsonParser parser = JSON.createParser(json.getBytes(StandardCharsets.UTF_8))) {
      parser.nextToken();
      List<String> read = new ArrayList<>();
      readObject(new JsonFields(parser, order), read);
      return read;
    }
  }

  private static void readObject(JsonFields fields, List<String> read) throws IOException {
    while (fields.next()) {
      if (fields.is("in") && fields.enter()) {
        readObject(fields, read);
      } else {
        read.add(fields.name() + "=" + fields.text());
      }
    }
  }

  private static int length(FieldOrder order) {
    int length = 0;
    for (FieldOrder at = order.next(); at != null; at = at.next()) {
      length++;
    }
    return length;
  }

  @Test
  void whateverCameBeforeTheSameFieldsAreRead() throws IOException {
    FieldOrder order = FieldOrder.start();
    for (int round = 0; round < 3; round++) {
      assertThat(read(order, "{\"a\":1,\"in\":{\"b\":2,\"c\":3},\"d\":4}"))
          .containsExactly("a=1", "b=2", "c=3", "d=4");
      assertThat(read(order, "{\"d\":4,\"in\":{},\"a\":1}")).containsExactly("d=4", "a=1");
      assertThat(read(order, "{\"a\":1,\"in\":{\"b\":2},\"ab\":5}"))
          .containsExactly("a=1", "b=2", "ab=5");
      assertThat(read(order, "{}")).isEmpty();
    }
  }

  @Test
  void keepsNoMoreThanAnEventHas() throws IOException {
    StringBuilder json = new StringBuilder("{");
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 3 * FieldOrder.MAX_LENGTH; i++) {
      json.append(i == 0 ? "" : ",").append("\"k").append(i).append("\":").append(i);
      expected.add("k" + i + "=" + i);
    }
    json.append('}');
    FieldOrder order = FieldOrder.start();
    for (int round = 0; round < 2; round++) {
      assertThat(read(order, json.toString())).isEqualTo(expected);
      assertThat(length(order)).isEqualTo(FieldOrder.MAX_LENGTH);
    }
  }
}
