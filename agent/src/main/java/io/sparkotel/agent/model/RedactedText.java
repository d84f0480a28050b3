package io.sparkotel.agent.model;

/** A text whose secrets are replaced from front to back. */
final class RedactedText {

  final String text;

  private final SecretShapes shapes;
  private StringBuilder out;
  private int copied;

  RedactedText(String text, SecretShapes shapes) {
    this.text = text;
    this.shapes = shapes;
  }

  /** What is before this was written, and can be replaced no more. */
  int written() {
    return copied;
  }

  /** Returns where the secret ended: a private key that starts in it goes as a whole. */
  int replace(int from, int to) {
    int start = Math.max(from, copied);
    if (to <= start) {
      return from;
    }
    if (out == null) {
      out = new StringBuilder(text.length() + Redactor.REPLACEMENT.length());
    }
    out.append(text, copied, start).append(Redactor.REPLACEMENT);
    copied = shapes.hasPrivateKey(start, to) ? Math.max(to, shapes.privateKeyEnd()) : to;
    return copied;
  }

  /** The same instance where nothing was replaced. */
  String result() {
    return out == null ? text : out.append(text, copied, text.length()).toString();
  }
}
