package io.sparkotel.agent.config;

import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;

/** The content of a file in PEM. */
final class PemType extends ValueType<byte[]> {
  private final boolean certificates;

  PemType(boolean certificates) {
    super(
        certificates
            ? "path of a file of X.509 certificates in PEM"
            : "path of a file with one PKCS #8 key in PEM (BEGIN PRIVATE KEY)");
    this.certificates = certificates;
  }

  @Override
  byte[] parse(String text, StringBuilder complaint) {
    byte[] content;
    try {
      content = SmallFile.read(new File(text));
    } catch (IOException e) {
      complaint.append(e.getMessage());
      return null;
    }
    if (certificates ? !isCertificates(content) : !isKey(content)) {
      complaint.append(
          certificates ? "the file holds no certificate" : "the file holds no PKCS #8 key");
      return null;
    }
    return content;
  }

  private static boolean isCertificates(byte[] content) {
    try {
      return !CertificateFactory.getInstance("X.509")
          .generateCertificates(new ByteArrayInputStream(content))
          .isEmpty();
    } catch (CertificateException e) {
      return false;
    }
  }

  private static boolean isKey(byte[] content) {
    return new String(content, StandardCharsets.ISO_8859_1).contains("-----BEGIN PRIVATE KEY-----");
  }
}
