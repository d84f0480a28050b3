package io.sparkotel.it;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.List;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;

/** A class of Spark in which one method has another name, and so its calls within the class. */
final class RenamedMethod {

  private static final String PREFIX = "vendors";

  private RenamedMethod() {}

  /**
   * @param internalName of the class, with slashes
   * @return the class file
   */
  static byte[] in(SparkVersion version, String internalName, String method) {
    ClassReader reader = new ClassReader(classFile(version.classpath(), internalName + ".class"));
    ClassWriter writer = new ClassWriter(reader, 0);
    boolean[] found = new boolean[1];
    reader.accept(
        new ClassVisitor(Opcodes.ASM9, writer) {
          @Override
          public MethodVisitor visitMethod(
              int access, String name, String descriptor, String signature, String[] exceptions) {
            boolean renamed = name.equals(method);
            found[0] |= renamed;
            MethodVisitor next =
                super.visitMethod(
                    access, renamed ? PREFIX + name : name, descriptor, signature, exceptions);
            return new MethodVisitor(Opcodes.ASM9, next) {
              @Override
              public void visitMethodInsn(
                  int opcode, String owner, String called, String type, boolean isInterface) {
                boolean own = owner.equals(internalName) && called.equals(method);
                super.visitMethodInsn(
                    opcode, owner, own ? PREFIX + called : called, type, isInterface);
              }
            };
          }
        },
        0);
    if (!found[0]) {
      throw new AssertionError("no method " + method + " in " + internalName);
    }
    return writer.toByteArray();
  }

  private static byte[] classFile(List<Path> classpath, String entry) {
    URL[] urls = classpath.stream().map(RenamedMethod::url).toArray(URL[]::new);
    try (URLClassLoader loader = new URLClassLoader(urls, null);
        InputStream in = loader.getResourceAsStream(entry)) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static URL url(Path path) {
    try {
      return path.toUri().toURL();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
