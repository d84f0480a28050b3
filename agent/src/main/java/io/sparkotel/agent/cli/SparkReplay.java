package io.sparkotel.agent.cli;

import io.sparkotel.agent.config.AgentConfig;
import io.sparkotel.agent.config.ConfigSources;
import io.sparkotel.agent.config.GivenSettings;
import io.sparkotel.agent.model.SparkRedaction;
import io.sparkotel.bootstrap.ReplayEntry;
import io.sparkotel.bootstrap.ReplayFiles;
import java.io.File;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The replay that runs on Spark, but for what needs Spark. */
public final class SparkReplay implements ReplayEntry {

  private final File jar;
  private final PrintStream out;
  private final PrintStream err;
  private final JobOptions options = new JobOptions();
  private final Map<String, String> sparkConf = new HashMap<>();
  private Map<String, String> settings;
  private JobPlan plan;

  /**
   * @param jar the agent's jar
   */
  public SparkReplay(File jar) {
    this(jar, System.out, System.err);
  }

  SparkReplay(File jar, PrintStream out, PrintStream err) {
    this.jar = jar;
    this.out = out;
    this.err = err;
  }

  @Override
  public int prepare(String[] arguments, Map<String, String> conf) {
    String mistake = options.parse(arguments, System.currentTimeMillis());
    if (mistake != null) {
      if (mistake.isEmpty()) {
        out.print(JobOptions.HELP);
        return Main.OK;
      }
      err.println(mistake);
      err.print(JobOptions.HELP);
      return Main.USAGE;
    }
    ConfigSources sources =
        new ConfigSources(conf, null, ReplayCommand.jvmProperties(), System.getenv(), jar);
    AgentConfig config = AgentConfig.load(sources);
    for (String problem : config.problems()) {
      err.println(problem);
    }
    settings = GivenSettings.of(sources, config.parent());
    if (!config.otlp().headers().isEmpty()) {
      // They stay in the SparkConf, where an agent in this JVM looks for them, too.
      String regex = conf.get(SparkRedaction.KEY);
      sparkConf.put(SparkRedaction.KEY, SparkRedaction.widened(regex));
    }
    return GO_ON;
  }

  @Override
  public Map<String, String> sparkConf() {
    return sparkConf;
  }

  @Override
  public List<byte[]> tasks(ReplayFiles files) {
    plan = new JobPlan(options, files, err);
    List<byte[]> tasks = new ArrayList<>();
    for (List<JobTask.Log> logs : plan.applications()) {
      tasks.add(JobTask.bytes(new JobTask(settings, options, logs)));
    }
    return tasks;
  }

  @Override
  public byte[] run(byte[] task, ReplayFiles files) {
    return JobTask.bytes(new JobTaskRun((JobTask) JobTask.object(task), files).run());
  }

  @Override
  public int end(List<byte[]> results) {
    Map<Integer, JobTask.Result> byNumber = new HashMap<>();
    for (byte[] ofTask : results) {
      for (JobTask.Result result : (JobTask.Result[]) JobTask.object(ofTask)) {
        byNumber.put(result.number, result);
      }
    }
    ReplayTable table = new ReplayTable();
    int failed = plan.failed();
    long sent = 0;
    long lost = 0;
    for (Map.Entry<Integer, String> log : new TreeMap<>(plan.due()).entrySet()) {
      JobTask.Result result = byNumber.get(log.getKey());
      if (result == null) {
        failed++;
        err.println(log.getValue() + ": not replayed, because the job on Spark failed");
        continue;
      }
      sent += result.sent;
      lost += result.lost;
      if (result.summary != null) {
        table.add(result.summary);
      }
      if (result.problem != null) {
        failed += result.isSkipped ? 0 : 1;
        err.println(log.getValue() + (result.isSkipped ? ": skipped: " : ": ") + result.problem);
      }
    }
    table.print(out);
    if (!options.dryRun()) {
      out.println(sent + " spans sent, " + lost + " not sent");
    }
    tellPassedOver();
    if (failed > 0) {
      err.println(failed + (failed == 1 ? " log failed" : " logs failed"));
    }
    return failed == 0 ? Main.OK : Main.FAILED;
  }

  private void tellPassedOver() {
    if (plan.sentBefore() > 0) {
      out.println("logs sent before: " + plan.sentBefore());
    }
    if (plan.tooOld() > 0) {
      out.println("logs not modified since " + options.sinceText() + ": " + plan.tooOld());
    }
  }
}
