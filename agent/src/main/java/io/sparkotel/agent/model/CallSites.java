package io.sparkotel.agent.model;

import io.sparkotel.agent.event.PlanNode;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** The labels of spans: few different ones, readable, without ids. */
public final class CallSites {

  private static final int MAX_LABEL_CHARS = 120;
  private static final int MAX_FRAMES = 200;
  private static final int MAX_WRAPPERS = 64;
  private static final String CELL = "<cell>";

  /**
   * Source files of frames that only carry a call: reflection, threads, py4j's way in, and the
   * shell of Hive that is below spark-sql.
   */
  private static final Set<String> CARRIERS =
      set(
          "NativeMethodAccessorImpl.java",
          "DelegatingMethodAccessorImpl.java",
          "DirectMethodHandleAccessor.java",
          "DirectConstructorHandleAccessor.java",
          "Method.java",
          "MethodHandle.java",
          "AccessController.java",
          "CompletableFuture.java",
          "FutureTask.java",
          "ThreadPoolExecutor.java",
          "ScheduledThreadPoolExecutor.java",
          "Executors.java",
          "ForkJoinPool.java",
          "ForkJoinTask.java",
          "ForkJoinWorkerThread.java",
          "Thread.java",
          "VirtualThread.java",
          "CliDriver.java",
          "<unknown>",
          "Unknown Source",
          "Native Method");

  /** Plan nodes that only carry another node. */
  private static final Set<String> WRAPPERS =
      set(
          "AdaptiveSparkPlan",
          "ResultQueryStage",
          "CommandResult",
          "WholeStageCodegen",
          "InputAdapter",
          "ColumnarToRow",
          "RowToColumnar");

  private static final Set<String> SAVE_MODES =
      set("overwrite", "append", "ignore", "errorifexists");

  /** First words of the names of commands, as against those of operators. */
  private static final Set<String> VERBS =
      set(
          "add",
          "alter",
          "analyze",
          "append",
          "cache",
          "clear",
          "create",
          "delete",
          "describe",
          "drop",
          "insert",
          "list",
          "load",
          "merge",
          "overwrite",
          "refresh",
          "rename",
          "repair",
          "replace",
          "reset",
          "save",
          "set",
          "show",
          "truncate",
          "uncache",
          "unset",
          "update",
          "write");

  /** Commands whose class name does not say in words what the user asked for. */
  private static final Map<String, String> COMMANDS = commands();

  private CallSites() {}

  /**
   * The label of a call site.
   *
   * @param shortForm Spark's short form, {@code count at Report.java:31}; may be null
   * @param longForm Spark's long form, one stack frame a line; may be null
   * @return the short form without directories where it names the user's code, else the first user
   *     frame of the long form, else null
   */
  public static String label(String shortForm, String longForm) {
    if (ConnectText.isRequest(shortForm)) {
      return null;
    }
    String label = fromShortForm(shortForm);
    return label != null ? label : fromLongForm(longForm);
  }

  /**
   * What the root of a plan does: {@code write parquet}, {@code create table as select}, {@code
   * show tables}; else the root node's name without ids and numbers; null where there is none.
   */
  public static String planLabel(PlanNode root) {
    PlanNode node = root;
    for (int i = 0; node != null && i < MAX_WRAPPERS; i++) {
      String name = PlanText.words(node.name(), 2, false);
      boolean wraps = WRAPPERS.contains(firstWord(name));
      if (wraps && !node.children().isEmpty()) {
        node = node.children().get(0);
        continue;
      }
      boolean execute = name.startsWith("Execute ");
      String command = execute ? name.substring("Execute ".length()) : firstWord(name);
      String label = commandLabel(command, node.simpleString(), execute);
      return bounded(label != null ? label : name);
    }
    return null;
  }

  private static String fromShortForm(String shortForm) {
    if (shortForm == null) {
      return null;
    }
    int at = shortForm.indexOf(" at ");
    if (at <= 0) {
      return null;
    }
    String method = shortForm.substring(0, at);
    if (!isIdentifier(method) || isCompilerMade(method) || method.equals("run")) {
      return null;
    }
    return join(plain(method), place(shortForm.substring(at + " at ".length())));
  }

  private static String fromLongForm(String longForm) {
    if (longForm == null) {
      return null;
    }
    String sparkMethod = null;
    int start = 0;
    for (int i = 0; i < MAX_FRAMES && start < longForm.length(); i++) {
      int newline = longForm.indexOf('\n', start);
      int end = newline < 0 ? longForm.length() : newline;
      // A frame is short; what is not is no frame.
      StackFrame frame =
          end - start > 2000 ? null : StackFrame.parse(longForm.substring(start, end));
      start = end + 1;
      if (frame == null) {
        continue;
      }
      if (frame.isSpark()) {
        if (!isCompilerMade(frame.method())) {
          sparkMethod = method(frame);
        }
      } else if (frame.isUser()) {
        String label =
            join(sparkMethod != null ? sparkMethod : method(frame), place(frame.place()));
        if (label != null) {
          return label;
        }
      }
    }
    return null;
  }

  private static String join(String method, String place) {
    return place == null || method.isEmpty() ? null : bounded(method + " at " + place);
  }

  /**
   * The file and line without directories and without a notebook's ids; null if it says nothing.
   */
  private static String place(String raw) {
    if (raw == null) {
      return null;
    }
    String place = raw.trim();
    int cut = Math.max(place.lastIndexOf('/'), place.lastIndexOf('\\'));
    String path = cut < 0 ? "" : place.substring(0, cut);
    place = place.substring(cut + 1);
    int colon = place.lastIndexOf(':');
    boolean hasLine = colon > 0 && isDigits(place, colon + 1, place.length());
    String file = hasLine ? place.substring(0, colon) : place;
    if (file.isEmpty() || CARRIERS.contains(file) || isGenerated(file)) {
      return null;
    }
    if (isNotebookCell(file, path)) {
      file = CELL;
    }
    // Whatever else was said here is a text of the user's, such as "batch at 12:00".
    if (hasLine ? !hasLetter(file) : !isSourceFile(file)) {
      return null;
    }
    return hasLine ? file + place.substring(colon) : file;
  }

  private static boolean isSourceFile(String file) {
    return file.startsWith("<")
        || file.endsWith(".java")
        || file.endsWith(".scala")
        || file.endsWith(".kt")
        || file.endsWith(".py");
  }

  private static boolean hasLetter(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (Character.isLetter(text.charAt(i))) {
        return true;
      }
    }
    return false;
  }

  private static boolean isGenerated(String file) {
    return file.startsWith("GeneratedMethodAccessor")
        || file.startsWith("GeneratedConstructorAccessor")
        || file.startsWith("LambdaForm")
        || file.startsWith("JFunction");
  }

  /** Notebooks name the file of a cell by process, hash or counter: a new name at every run. */
  private static boolean isNotebookCell(String file, String path) {
    if (file.startsWith("<ipython-input-")
        || file.startsWith("<command-")
        || file.startsWith("command-")) {
      return true;
    }
    return file.endsWith(".py")
        && isDigits(file, 0, file.length() - ".py".length())
        && path.contains("ipykernel");
  }

  private static boolean isCompilerMade(String method) {
    return method.startsWith("$") || method.startsWith("lambda$");
  }

  /** The name in the source: of a constructor the class, of a lambda the method around it. */
  private static String method(StackFrame frame) {
    String method = frame.method();
    if (method.equals("<init>") || method.equals("<clinit>")) {
      String owner = frame.className();
      owner = owner.substring(owner.lastIndexOf('.') + 1);
      // A cell of the REPL is a nest of generated classes: none of their names says anything.
      return owner.startsWith("$") ? "run" : plain(owner);
    }
    return plain(method);
  }

  private static String plain(String method) {
    String name = method;
    if (name.startsWith("$anonfun$")) {
      name = name.substring("$anonfun$".length());
    } else if (name.startsWith("lambda$")) {
      name = name.substring("lambda$".length());
    }
    int mangled = name.lastIndexOf("$$");
    // org$acme$Report$$count is the private method count of org.acme.Report.
    if (mangled > name.indexOf('$') && mangled + 2 < name.length()) {
      name = name.substring(mangled + 2);
    }
    int dollar = name.indexOf('$');
    return dollar > 0 ? name.substring(0, dollar) : name.replace("$", "");
  }

  private static String commandLabel(String name, String simpleString, boolean certain) {
    String command = strip(strip(name, "V1"), "Exec");
    command = strip(command, "Command");
    if (command.startsWith("Atomic")) {
      command = command.substring("Atomic".length());
    } else if (command.startsWith("Optimized")) {
      command = command.substring("Optimized".length());
    }
    if (command.equals("InsertIntoHadoopFsRelation")) {
      String format = fileFormat(simpleString);
      return format == null ? "write files" : "write " + format;
    }
    if (command.equals("SaveIntoDataSource")) {
      String provider = firstArgument(simpleString);
      String format = provider == null ? null : formatName(provider);
      return format == null ? "write data source" : "write " + format;
    }
    String known = COMMANDS.get(command);
    if (known != null) {
      return known;
    }
    String words =
        camelWords(
            command
                .replace("DataSourceTable", "Table")
                .replace("HiveTable", "Table")
                .replace("TempView", "View"));
    return certain || VERBS.contains(firstWord(words)) ? words : null;
  }

  /**
   * The format among the arguments of {@code InsertIntoHadoopFsRelationCommand}: the first plain
   * word after the flag for an existing partition; the path before it can hold anything.
   */
  private static String fileFormat(String simpleString) {
    int flag = simpleString.indexOf(", false, ");
    int start = flag + ", false, ".length();
    if (flag < 0) {
      flag = simpleString.indexOf(", true, ");
      start = flag + ", true, ".length();
    }
    if (flag < 0) {
      return null;
    }
    int limit = Math.min(simpleString.length(), start + 4000);
    int depth = 0;
    int from = start;
    for (int i = start; i < limit; i++) {
      char c = simpleString.charAt(i);
      if (c == '[' || c == '(') {
        depth++;
      } else if (c == ']' || c == ')') {
        depth--;
      } else if (c == ',' && depth == 0) {
        String format = formatName(simpleString.substring(from, i).trim());
        if (format != null) {
          // The save mode comes after the format: the format was not to be read.
          return SAVE_MODES.contains(format) ? null : format;
        }
        from = i + 1;
      }
    }
    return null;
  }

  private static String firstArgument(String simpleString) {
    int start = simpleString.indexOf("SaveIntoDataSourceCommand ");
    int end = simpleString.indexOf(',', start);
    return start < 0 || end < 0
        ? null
        : simpleString.substring(start + "SaveIntoDataSourceCommand ".length(), end).trim();
  }

  /** {@code Parquet} or {@code org.acme.AvroFileFormat@1f} in lower case; null if it is neither. */
  private static String formatName(String text) {
    int hash = text.indexOf('@');
    String name = hash < 0 ? text : text.substring(0, hash);
    name = name.substring(name.lastIndexOf('.') + 1);
    for (String suffix :
        Arrays.asList(
            "$", "FileFormat", "RelationProvider", "Provider", "DataSource", "DefaultSource")) {
      name = strip(name, suffix);
    }
    if (name.isEmpty() || name.length() > 30) {
      return null;
    }
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (!isLetter(c) && (i == 0 || !(isDigit(c) || c == '-' || c == '_'))) {
        return null;
      }
    }
    return name.toLowerCase(Locale.ROOT);
  }

  private static String camelWords(String name) {
    StringBuilder out = new StringBuilder(name.length() + 8);
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      boolean upper = c >= 'A' && c <= 'Z';
      if (upper
          && i > 0
          && (!isUpper(name.charAt(i - 1))
              || (i + 1 < name.length() && isLower(name.charAt(i + 1))))) {
        out.append(' ');
      }
      out.append(upper ? (char) (c + 'a' - 'A') : c);
    }
    return out.toString();
  }

  private static String strip(String name, String suffix) {
    return name.length() > suffix.length() && name.endsWith(suffix)
        ? name.substring(0, name.length() - suffix.length())
        : name;
  }

  private static String firstWord(String text) {
    int space = text.indexOf(' ');
    return space < 0 ? text : text.substring(0, space);
  }

  private static String bounded(String label) {
    String text = Truncation.toChars(label, MAX_LABEL_CHARS).text();
    return text.isEmpty() ? null : text;
  }

  private static boolean isIdentifier(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (!Character.isJavaIdentifierPart(c) && c != '<' && c != '>' && c != '.') {
        return false;
      }
    }
    return true;
  }

  private static boolean isDigits(String text, int from, int to) {
    for (int i = from; i < to; i++) {
      if (!isDigit(text.charAt(i))) {
        return false;
      }
    }
    return from < to;
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  private static boolean isUpper(char c) {
    return c >= 'A' && c <= 'Z';
  }

  private static boolean isLower(char c) {
    return c >= 'a' && c <= 'z';
  }

  private static boolean isLetter(char c) {
    return isUpper(c) || isLower(c);
  }

  private static Set<String> set(String... values) {
    return Collections.unmodifiableSet(new HashSet<>(Arrays.asList(values)));
  }

  private static Map<String, String> commands() {
    Map<String, String> map = new HashMap<>();
    map.put("InsertIntoHiveTable", "insert into table");
    map.put("InsertIntoDataSource", "insert into table");
    map.put("AppendData", "insert into table");
    map.put("OverwriteByExpression", "insert overwrite table");
    map.put("OverwritePartitionsDynamic", "insert overwrite table");
    map.put("InsertIntoDataSourceDir", "insert overwrite directory");
    map.put("InsertIntoHiveDir", "insert overwrite directory");
    map.put("WriteToDataSourceV2", "write data source");
    map.put("SetNamespace", "use");
    map.put("SetCatalog", "use");
    map.put("SetCatalogAndNamespace", "use");
    return Collections.unmodifiableMap(map);
  }
}
