package io.sparkotel.agent.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.sparkotel.agent.event.ResourceProfile;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExecutorMemoryTest {

  /** The settings are one text, {@code key=value} with blanks between; spark. goes before all. */
  private static Map<String, String> conf(String text) {
    Map<String, String> conf = new HashMap<>();
    for (String entry : text.trim().split(" +")) {
      String[] pair = entry.split("=", 2);
      conf.put("spark." + pair[0], pair[1]);
    }
    return conf;
  }

  @ParameterizedTest
  @CsvSource({
    "master=spark://h:7077, 1024",
    "'master=spark://h:7077 executor.memory=4g executor.memoryOverhead=1g', 4096",
    "'master=local-cluster[2,1,512] executor.memory=512', 512",
    "'master=yarn executor.memory=2g', 2432",
    "'master=yarn executor.memory=10G', 11264",
    "'master=yarn-cluster executor.memory=10gb yarn.executor.memoryOverhead=2000', 12240",
    "'master=yarn executor.memory=1g executor.memoryOverhead=600m', 1624",
    "'master=yarn executor.memory=1g executor.minMemoryOverhead=100m', 1126",
    "'master=k8s://h executor.memory=10g kubernetes.memoryOverheadFactor=0.4', 14336",
    "'master=k8s://h executor.memory=10g executor.memoryOverheadFactor=0.2', 12288",
    "'master=yarn executor.memory=1g executor.pyspark.memory=200m', 1608",
    "'master=yarn executor.memory=1g memory.offHeap.enabled=true memory.offHeap.size=1g', 2432",
    "'master=yarn executor.memory=1g memory.offHeap.enabled=false memory.offHeap.size=1g', 1408",
    "'master=spark://h memory.offHeap.enabled=true memory.offHeap.size=3145728', 1027",
    "'master=spark://h executor.memory=1048576k', 1024",
    "'master=spark://h executor.memory=2147483648b', 2048",
    "'master=local[4] executor.memory=4g', -1",
    "'master=mesos://h executor.memory=4g', -1",
    "'executor.memory=4g', -1",
    "'master=yarn executor.memory=much', -1",
    "'master=yarn executor.memory=999999999999999p', -1",
    "'master=yarn executor.memoryOverheadFactor=x', -1",
  })
  void asTheSettingsSay(String settings, long mib) {
    assertThat(ExecutorMemory.of(conf(settings), new ResourceProfile())).isEqualTo(mib);
  }

  @Test
  void aProfileSaysOtherwiseOrLeavesItToTheSettings() {
    Map<String, String> conf =
        conf(
            "master=yarn executor.memory=1g executor.memoryOverhead=1g executor.pyspark.memory=1g");
    ResourceProfile profile = new ResourceProfile();
    profile.id = 1;
    profile.executorResource("gpu", 9);
    assertThat(ExecutorMemory.of(conf, profile)).isEqualTo(3_072);
    profile.executorResource("memory", 100);
    assertThat(ExecutorMemory.of(conf, profile)).isEqualTo(2_148);
    profile.executorResource("memoryOverhead", 10);
    profile.executorResource("pyspark.memory", 5);
    profile.executorResource("offHeap", 3);
    assertThat(ExecutorMemory.of(conf, profile)).isEqualTo(118);
    profile.executorResource("offHeap", Long.MIN_VALUE);
    assertThat(ExecutorMemory.of(conf, profile)).isEqualTo(ExecutorMemory.UNKNOWN);
  }
}
