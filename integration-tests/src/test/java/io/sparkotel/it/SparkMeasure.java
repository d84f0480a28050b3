package io.sparkotel.it;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.JarURLConnection;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** sparkMeasure's flight recorder, a second witness of a run; published for Scala 2.12 only. */
final class SparkMeasure {

  private static final String RECORDER = "ch.cern.sparkmeasure.FlightRecorderStageMetrics";
  private static final String FILE = "sparkmeasure.json";

  /** Its sums of a stage, in bytes or milliseconds; times of nanoseconds are cut to whole ones. */
  private static final Map<String, String> FIELDS = new LinkedHashMap<>();

  static {
    FIELDS.put("executorRunTime", "spark.executor.run_time_ms");
    FIELDS.put("executorCpuTime", "spark.executor.cpu_time_ms");
    FIELDS.put("executorDeserializeTime", "spark.executor.deserialize_time_ms");
    FIELDS.put("executorDeserializeCpuTime", "spark.executor.deserialize_cpu_time_ms");
    FIELDS.put("resultSerializationTime", "spark.executor.result_serialization_time_ms");
    FIELDS.put("jvmGCTime", "spark.executor.gc_time_ms");
    FIELDS.put("resultSize", "spark.result.size_bytes");
    FIELDS.put("diskBytesSpilled", "spark.spill.disk_bytes");
    FIELDS.put("memoryBytesSpilled", "spark.spill.memory_bytes");
    FIELDS.put("recordsRead", "spark.input.records");
    FIELDS.put("bytesRead", "spark.input.bytes");
    FIELDS.put("recordsWritten", "spark.output.records");
    FIELDS.put("bytesWritten", "spark.output.bytes");
    FIELDS.put("shuffleFetchWaitTime", "spark.shuffle.read.fetch_wait_time_ms");
    FIELDS.put("shuffleTotalBytesRead", "spark.shuffle.read.bytes");
    FIELDS.put("shuffleLocalBlocksFetched", "spark.shuffle.read.local_blocks");
    FIELDS.put("shuffleRemoteBlocksFetched", "spark.shuffle.read.remote_blocks");
    FIELDS.put("shuffleLocalBytesRead", "spark.shuffle.read.local_bytes");
    FIELDS.put("shuffleRemoteBytesRead", "spark.shuffle.read.remote_bytes");
    FIELDS.put("shuffleRemoteBytesReadToDisk", "spark.shuffle.read.remote_bytes_to_disk");
    FIELDS.put("shuffleRecordsRead", "spark.shuffle.read.records");
    FIELDS.put("shuffleWriteTime", "spark.shuffle.write.time_ms");
    FIELDS.put("shuffleBytesWritten", "spark.shuffle.write.bytes");
    FIELDS.put("shuffleRecordsWritten", "spark.shuffle.write.records");
  }

  private SparkMeasure() {}

  static boolean runsOn(SparkVersion version) {
    return version.scalaBinary().equals("2.12");
  }

  /** Lets the run be recorded. */
  static void record(SparkRun run) {
    record(run, jar());
  }

  /** Lets the run be recorded by that jar of sparkMeasure. */
  static void record(SparkRun run, Path jar) {
    run.classpath(jar)
        .conf("spark.extraListeners", RECORDER)
        .conf("spark.sparkmeasure.outputFormat", "json")
        .conf("spark.sparkmeasure.outputFilename", run.dir().resolve(FILE));
  }

  /** What it recorded: an array of stages. */
  static JsonNode stages(SparkRun run) {
    try {
      return new ObjectMapper().readTree(Files.readString(run.dir().resolve(FILE)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** By attribute, the sums of a recorded stage. */
  static Map<String, Long> sums(JsonNode stage) {
    Map<String, Long> sums = new LinkedHashMap<>();
    FIELDS.forEach((field, key) -> sums.put(key, stage.get(field).asLong()));
    return sums;
  }

  /** From the class path of the tests, which never load it. */
  private static Path jar() {
    String name = RECORDER.replace('.', '/') + ".class";
    try {
      URI entry = SparkMeasure.class.getClassLoader().getResource(name).toURI();
      JarURLConnection inJar = (JarURLConnection) entry.toURL().openConnection();
      return Path.of(inJar.getJarFileURL().toURI());
    } catch (IOException | URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }
}
