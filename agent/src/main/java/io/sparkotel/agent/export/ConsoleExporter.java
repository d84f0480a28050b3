package io.sparkotel.agent.export;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.sparkotel.agent.telemetry.Attribute;
import io.sparkotel.agent.telemetry.Entity;
import io.sparkotel.agent.telemetry.Names;
import java.io.PrintStream;
import java.nio.charset.Charset;
import java.nio.charset.IllegalCharsetNameException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * Prints a trace as a tree when its application span arrives, which is the last one. At most 10,000
 * spans are kept until then.
 */
final class ConsoleExporter implements SpanExporter {

  private static final int MAX_ROWS = 10_000;
  private static final String CANARY = "├█▏·✗…";

  private static final AttributeKey<String> APPLICATION_NAME =
      AttributeKey.stringKey("spark.app.name");

  private final PrintStream out;
  private final List<TraceTree.Row> rows = new ArrayList<>();
  private final TraceTree tree;
  private long left;

  ConsoleExporter(PrintStream out, TraceTree tree) {
    this.out = out;
    this.tree = tree;
  }

  /** On stderr, in a drawing that fits it. */
  static ConsoleExporter onStderr() {
    boolean unicode = stderrCharset().newEncoder().canEncode(CANARY);
    return new ConsoleExporter(System.err, new TraceTree(unicode, wantsColour(System.getenv())));
  }

  /**
   * Whether stderr is a terminal cannot be asked in Java. The environment variables that many tools
   * know can tell: {@code CLICOLOR_FORCE} other than 0 asks for colours, {@code NO_COLOR} forbids
   * them and is the stronger one.
   */
  static boolean wantsColour(Map<String, String> environment) {
    String forced = environment.getOrDefault("CLICOLOR_FORCE", "");
    return environment.getOrDefault("NO_COLOR", "").isEmpty()
        && !forced.isEmpty()
        && !forced.equals("0");
  }

  /**
   * As the JDK chooses it: by these properties where they are set, which depends on its version.
   */
  private static Charset stderrCharset() {
    String name =
        System.getProperty("stderr.encoding", System.getProperty("sun.stderr.encoding", ""));
    try {
      return Charset.isSupported(name) ? Charset.forName(name) : Charset.defaultCharset();
    } catch (IllegalCharsetNameException e) {
      // Also of an empty name: nothing was said.
      return Charset.defaultCharset();
    }
  }

  @Override
  public synchronized CompletableResultCode export(Collection<SpanData> spans) {
    for (SpanData span : spans) {
      String entity = span.getAttributes().get(AttributeKey.stringKey(Names.ENTITY.name()));
      if (Entity.STARTED.label().equals(entity)) {
        continue;
      }
      boolean application = Entity.APPLICATION.label().equals(entity);
      if (rows.size() >= MAX_ROWS && !application) {
        left++;
        continue;
      }
      rows.add(row(span, application));
      if (application) {
        print();
      }
    }
    return CompletableResultCode.ofSuccess();
  }

  private static TraceTree.Row row(SpanData span, boolean application) {
    boolean failed = span.getStatus().getStatusCode() == StatusCode.ERROR;
    // The span of every application has the same name.
    String suffix = application ? " " + span.getResource().getAttribute(APPLICATION_NAME) : "";
    return new TraceTree.Row(
        span.getSpanId(),
        span.getParentSpanId(),
        span.getName() + suffix,
        span.getStartEpochNanos(),
        span.getEndEpochNanos(),
        failed ? span.getStatus().getDescription() : null,
        key -> value(span.getAttributes(), key));
  }

  private static Object value(Attributes attributes, String key) {
    Attribute attribute = Names.find(key);
    return attribute == null ? null : attributes.get(attribute.key());
  }

  private void print() {
    String text = tree.render(rows);
    out.print(left == 0 ? text : text + "and " + left + " spans that were not kept\n");
    out.flush();
    rows.clear();
    left = 0;
  }

  @Override
  public CompletableResultCode flush() {
    return CompletableResultCode.ofSuccess();
  }

  /** What came without an application span is printed as it is. */
  @Override
  public synchronized CompletableResultCode shutdown() {
    if (!rows.isEmpty()) {
      print();
    }
    return CompletableResultCode.ofSuccess();
  }
}
