package io.sparkotel.agent.export;

import io.opentelemetry.exporter.internal.otlp.traces.TraceRequestMarshaler;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Collection;

/**
 * Appends to a file of OTLP JSON: one {@code ExportTraceServiceRequest} a line. The file is opened
 * for each batch, so that it can be moved away under a running application.
 */
final class FileExporter implements SpanExporter {

  private final File file;
  private boolean lineBroken;

  FileExporter(File file) {
    this.file = file;
  }

  @Override
  public CompletableResultCode export(Collection<SpanData> spans) {
    ByteArrayOutputStream line = new ByteArrayOutputStream(spans.size() * 2048);
    try {
      if (lineBroken) {
        line.write('\n');
      }
      TraceRequestMarshaler.create(spans).writeJsonTo(line);
      line.write('\n');
      try (OutputStream out = new FileOutputStream(file, true)) {
        lineBroken = true;
        line.writeTo(out);
      }
      lineBroken = false;
      return CompletableResultCode.ofSuccess();
    } catch (IOException e) {
      // Not tried again: a part may be in the file already, and a full disk stays full.
      return CompletableResultCode.ofExceptionalFailure(
          ExportFailure.refused(ExportFailure.describe(e)));
    }
  }

  @Override
  public CompletableResultCode flush() {
    return CompletableResultCode.ofSuccess();
  }

  @Override
  public CompletableResultCode shutdown() {
    return CompletableResultCode.ofSuccess();
  }
}
