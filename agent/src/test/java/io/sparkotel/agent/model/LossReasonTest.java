package io.sparkotel.agent.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The texts are those of Spark 3.0 to 4.3, of YARN's and of Kubernetes' with their numbers. */
class LossReasonTest {

  private static final String POD =
      """

      The executor with id 3 exited with exit code %s.
      The API gave the following brief reason: %s
      The API gave the following message: %s
      The API gave the following container statuses:


      \t container name: spark-kubernetes-executor
      \t container image: registry/spark:3.5.9
      \t container state: terminated
      \t container started at: 2026-11-30T09:00:00Z
      \t container finished at: 2026-11-30T09:10:00Z
      \t exit code: %s
      \t termination reason: %s
            \
      """;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        // Standalone: what the worker saw of the process.
        "Command exited with code 137 | killed | 137",
        "Command exited with code 143 | terminated | 143",
        "Command exited with code 134 | crashed | 134",
        "Command exited with code 139 | crashed | 139",
        "Command exited with code 50 | uncaught_exception | 50",
        "Command exited with code 51 | uncaught_exception | 51",
        "Command exited with code 52 | jvm_out_of_memory | 52",
        "Command exited with code 53 | disk_failed | 53",
        "Command exited with code 56 | heartbeat_lost | 56",
        "Command exited with code 57 | task_not_stopping | 57",
        "Command exited with code 1 | exited | 1",
        "Command exited with code 0 | exited | 0",
        "Worker shutting down | node_lost |",
        "worker lost | node_lost |",
        "Worker lost | node_lost |",
        "Slave lost | node_lost |",
        "Node shutdown | node_lost |",
        "node shutdown in progress, exit code 143 | node_lost | 143",
        // Where Spark itself puts an exit code into words.
        "Uncaught exception. | uncaught_exception |",
        "Uncaught exception, and logging the exception failed. | uncaught_exception |",
        "OutOfMemoryError. | jvm_out_of_memory |",
        "Failed to create local directory (bad spark.local.dir?) | disk_failed |",
        "Unable to send heartbeats to driver. | heartbeat_lost |",
        "Executor killed by TaskReaper. | task_not_stopping |",
        "Unknown executor exit code (137) (died from signal 9?) | killed | 137",
        "Unknown executor exit code (3) | exited | 3",
        // The driver's view.
        "Executor heartbeat timed out after 130023 ms | heartbeat_lost |",
        "Executor killed by driver. | stopped_by_driver |",
        "Executor Process Lost | connection_lost |",
        "Remote RPC client disassociated. Likely due to containers exceeding thresholds, or"
            + " network issues. Check driver logs for WARN messages. | connection_lost |",
        "Executor decommission. | decommissioned |",
        "Executor decommission: spark scale down | decommissioned |",
        "Executor decommission: worker decommissioned because of kill request from HTTP endpoint"
            + " (data migration disabled). | decommissioned |",
        "Pending loss reason. | unknown |",
        "Unable to create executor due to null | unknown |",
        // YARN, Spark 3 and 4.
        "Container killed by YARN for exceeding memory limits. 2.1 GB of 2 GB physical memory used."
            + " Consider boosting spark.yarn.executor.memoryOverhead. | container_out_of_memory |",
        "Container killed by YARN for exceeding physical memory limits. 2.1 GB of 2 GB physical"
            + " memory used. Consider boosting spark.executor.memoryOverhead. |"
            + " container_out_of_memory |",
        "Container killed by YARN for exceeding virtual memory limits. 4.4 GB of 4.2 GB virtual"
            + " memory used. Consider boosting spark.executor.memoryOverhead or boosting"
            + " yarn.nodemanager.vmem-pmem-ratio or disabling yarn.nodemanager.vmem-check-enabled"
            + " because of YARN-4714. | container_out_of_memory |",
        "Container container_e1_7_01_000002 on host: worker-1 was preempted. | preempted |",
        "Container container_e1_7_01_000002 exited from explicit termination request. |"
            + " stopped_by_driver |",
        "Executor for container container_e1_7_01_000002 exited because of a YARN event (e.g.,"
            + " preemption) and not because of an error in the running job. | unknown |",
        "Container marked as failed: container_e1_7_01_000002 on host: worker-1. Exit status: -100."
            + " Diagnostics: Container released on a *lost* node. | node_lost | -100",
        "Container from a bad node: container_e1_7_01_000002 on host: worker-1. Exit status: 143."
            + " Diagnostics: Killed by external signal. | terminated | 143",
        "Container from a bad node: container_e1_7_01_000002 on host: worker-1. Exit status: 137."
            + " Possible causes: ... Diagnostics: Container exited with a non-zero exit code 137. |"
            + " killed | 137",
        "Container from a bad node: container_e1_7_01_000002 on host: worker-1. Exit status: -1000."
            + " Diagnostics: . | unknown |",
        "Container marked as failed: container_e1_7_01_000002 on host: worker-1. Exit status: -101."
            + " Diagnostics: . | disk_failed | -101",
        "Container marked as failed: container_e1_7_01_000002 on host: worker-1. Exit status: -105."
            + " Diagnostics: Container killed by the ApplicationMaster. | stopped_by_driver | -105",
        // Kubernetes without a pod to ask.
        "The executor with id 3 was deleted by a user or the framework. | pod_deleted |",
        "The executor with ID 3 was not found in the cluster but we didn't get a reason why. Marking"
            + " the executor as failed. The executor may have been deleted but the driver missed"
            + " the deletion event. | pod_deleted |",
        "The executor with ID 3 (registered at 1 ms) was not found in the cluster at the polling"
            + " time (2 ms) which is after the accepted detect delta time (3 ms) configured by"
            + " `spark.kubernetes.executor.missingPodDetectDelta`. The executor may have been"
            + " deleted but the driver missed the deletion event. Marking this executor as failed. |"
            + " pod_deleted |",
        // What says nothing.
        "existing 12 replicas | unknown |",
        "exit | unknown |",
        "exit code 99999999999 | unknown |",
        "\"\" | unknown |",
      })
  void decodesWhatIsSaid(String reason, String cause, Integer exitCode) {
    LossReason found = LossReason.of(reason);
    assertThat(found.cause.text()).isEqualTo(cause);
    assertThat(found.exitCode).isEqualTo(exitCode);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "137(SIGKILL, possible container OOM) | N/A | N/A | 137 | OOMKilled |"
            + " container_out_of_memory",
        "137(SIGKILL, possible container OOM) | N/A | N/A | 137 | Error | killed",
        "137(SIGKILL, possible container OOM) | Evicted | The node was low on resource: memory. |"
            + " 137 | Error | evicted",
        "137(SIGKILL, possible container OOM) | Evicted | Pod ephemeral local storage usage exceeds"
            + " the total limit of containers 1Gi. | 137 | Error | evicted",
        "143(unexpected) | Preempting | Preempted in order to admit critical pod | 143 | Error |"
            + " preempted",
        "143(unexpected) | Terminated | Pod was terminated in response to imminent node shutdown. |"
            + " 143 | Error | node_lost",
        "52(JVM OOM) | N/A | N/A | 52 | Error | jvm_out_of_memory",
        "50(Uncaught exception) | N/A | N/A | 50 | Error | uncaught_exception",
        "53(DiskStore failed to create temp dir) | N/A | N/A | 53 | Error | disk_failed",
        "139(SIGSEGV: that's unexpected) | N/A | N/A | 139 | Error | crashed",
        "0(success) | N/A | N/A | 0 | Completed | exited",
      })
  void decodesWhatAPodTells(
      String code, String brief, String message, int exit, String termination, String cause) {
    LossReason found = LossReason.of(POD.formatted(code, brief, message, exit, termination));
    assertThat(found.cause.text()).isEqualTo(cause);
    assertThat(found.exitCode).isEqualTo(exit);
  }

  /** Spark says -1 where the pod tells no code. */
  @Test
  void anExitCodeThatIsNotKnownIsAbsent() {
    String reason = POD.formatted("-1(generic, look at logs to clarify)", "N/A", "N/A", "", "");
    assertThat(LossReason.of(reason).exitCode).isNull();
    assertThat(LossReason.of(null).exitCode).isNull();
    assertThat(LossReason.of(null).cause).isEqualTo(LossReason.Cause.UNKNOWN);
  }

  /** A wrong number is worse than none. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "Command exited with code 3221225786",
        "Command exited with code -1073741510",
        "exit code 0x10"
      })
  void aNumberThatIsNotWholeIsNone(String reason) {
    assertThat(LossReason.of(reason).exitCode).isNull();
  }
}
