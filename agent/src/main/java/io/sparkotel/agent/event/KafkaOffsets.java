package io.sparkotel.agent.event;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;

/** What Kafka's source tells of a topic's partitions: {@code {"topic":{"0":17}}}. */
public final class KafkaOffsets {

  private static final String DESCRIPTION = "Kafka";
  private static final int MAX_CHARS = 1 << 20;
  private static final JsonFactory JSON = new JsonFactory();

  private KafkaOffsets() {}

  /**
   * The records that the source had not read, by topic; null of another source, and where it does
   * not tell the latest offsets, as before Spark 3.2.
   */
  public static Map<String, Long> behind(StreamProgress.Source source) {
    boolean told =
        source.description != null
            && source.description.startsWith(DESCRIPTION)
            && source.latestOffset != null
            && source.endOffset != null;
    if (!told) {
      return null;
    }
    Map<String, Long> latest = new TreeMap<>();
    Map<String, Long> read = new TreeMap<>();
    if (!add(source.latestOffset, latest) || !add(source.endOffset, read)) {
      return null;
    }
    read.forEach((partition, offset) -> latest.computeIfPresent(partition, (p, o) -> o - offset));
    latest.keySet().retainAll(read.keySet());
    Map<String, Long> topics = new TreeMap<>();
    latest.forEach(
        (partition, behind) ->
            topics.merge(
                partition.substring(0, partition.lastIndexOf('/')),
                Math.max(0, behind),
                Long::sum));
    return topics;
  }

  /** By topic and partition; false where it is not of this form. */
  private static boolean add(String offsets, Map<String, Long> into) {
    if (offsets.length() > MAX_CHARS) {
      return false;
    }
    try (JsonParser parser = JSON.createParser(offsets)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        return false;
      }
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String topic = parser.currentName();
        if (parser.nextToken() != JsonToken.START_OBJECT) {
          return false;
        }
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
          String partition = parser.currentName();
          if (parser.nextToken() != JsonToken.VALUE_NUMBER_INT) {
            return false;
          }
          into.put(topic + '/' + partition, parser.getLongValue());
        }
      }
      return true;
    } catch (IOException e) {
      // Another source that calls itself so.
      return false;
    }
  }
}
