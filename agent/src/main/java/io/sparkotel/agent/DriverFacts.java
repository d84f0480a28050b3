package io.sparkotel.agent;

import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;

/** What a starting SparkContext tells of its application. */
public final class DriverFacts {
  final String applicationId;
  final String attemptId;
  final String name;
  final String user;
  final long startTime;
  final String sparkVersion;
  final String uiUrl;
  final Map<String, String> conf;
  final BiConsumer<String, String> confWriter;
  final LongSupplier droppedEvents;

  /**
   * @param attemptId null where the cluster manager knows no attempts
   * @param startTime epoch milliseconds
   * @param uiUrl null where the UI is off
   * @param conf the whole SparkConf
   * @param confWriter sets a key of the SparkConf, or takes it out where the value is null
   * @param droppedEvents events that the listener bus dropped so far
   */
  public DriverFacts(
      String applicationId,
      String attemptId,
      String name,
      String user,
      long startTime,
      String sparkVersion,
      String uiUrl,
      Map<String, String> conf,
      BiConsumer<String, String> confWriter,
      LongSupplier droppedEvents) {
    this.applicationId = applicationId;
    this.attemptId = attemptId;
    this.name = name;
    this.user = user;
    this.startTime = startTime;
    this.sparkVersion = sparkVersion;
    this.uiUrl = uiUrl;
    this.conf = conf;
    this.confWriter = confWriter;
    this.droppedEvents = droppedEvents;
  }
}
