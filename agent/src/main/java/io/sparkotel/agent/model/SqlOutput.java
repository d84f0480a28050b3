package io.sparkotel.agent.model;

import io.sparkotel.agent.event.PlanNode;
import io.sparkotel.agent.telemetry.Attribute;
import io.sparkotel.agent.telemetry.AttributeList;
import io.sparkotel.agent.telemetry.Names;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a SQL execution writes to, read from the node of its plan that does it. */
final class SqlOutput {

  private static final String EXECUTE = "Execute ";
  private static final int MAX_WRAPPERS = 10;
  private static final int MAX_COLUMNS = 50;
  private static final int MAX_NAME_CHARS = 1_000;
  private static final Pattern MODE = Pattern.compile("Append|Overwrite|ErrorIfExists|Ignore");
  private static final Pattern ICEBERG = Pattern.compile("IcebergWrite\\(table=([^,)]*)");
  private static final Pattern DELTA_PATH =
      Pattern.compile("DeltaTableV2\\([^,]*,([^,]+),|Delta\\[version=\\d+, ([^\\]]+)\\]");
  private static final Pattern CATALOG_TABLE =
      Pattern.compile(
          "CatalogTable\\(\\s*(?:Catalog: ([^\\n]+)\\n)?Database: ([^\\n]+)\\nTable: ([^\\n)]+)");
  private static final Pattern PROVIDER =
      Pattern.compile(
          "TableSpec\\(Map\\([^)]*\\),Some\\((\\w+)\\)|[\\[( ]provider(?:=| -> )(\\w+)");

  private static final Pattern TABLE_NAME = Pattern.compile("(?:[\\w.-]++|`[^`]++`)+");

  private final PlanNode node;
  private String table;
  private String path;
  private String format;
  private String mode;

  /** Another execution does the writing for it. */
  private boolean delegates;

  private boolean succeeded;

  private OutputNumbers numbers = OutputNumbers.NONE;
  private final List<String> partitionColumns = new ArrayList<>(0);

  private SqlOutput(PlanNode node) {
    this.node = node;
  }

  /**
   * Null where the plan writes nothing, or nobody can tell.
   *
   * @param commandArguments as in {@link io.sparkotel.agent.event.SqlStart}
   */
  static SqlOutput of(PlanNode plan, String commandArguments) {
    PlanNode node = plan;
    for (int i = 0; i < MAX_WRAPPERS && node != null; i++) {
      SqlOutput output = new SqlOutput(node);
      if (output.read(commandArguments)) {
        return output;
      }
      node = node.children().size() == 1 ? node.children().get(0) : null;
    }
    return null;
  }

  private boolean read(String commandArguments) {
    String name = NativeNodes.sparks(node.name());
    boolean command = name.startsWith(EXECUTE);
    String what = PlanText.words(command ? name.substring(EXECUTE.length()) : name, 1, false);
    String text = node.simpleString();
    String own = text.startsWith(node.name()) ? text.substring(node.name().length()).trim() : "";
    String arguments = own.isEmpty() && commandArguments != null ? commandArguments : own;
    List<String> parts = PlanArguments.split(arguments);
    switch (what) {
      case "InsertIntoHadoopFsRelationCommand":
        files(parts);
        return true;
      case "InsertIntoHiveTable":
        hive(parts);
        return true;
      case "CreateDataSourceTableAsSelectCommand":
        table = name(parts.get(0));
        mode = "create";
        delegates = true;
        return true;
      case "CreateHiveTableAsSelectCommand":
      case "OptimizedCreateHiveTableAsSelectCommand":
        table = PlanArguments.after(arguments, "TableName: ", ",]");
        String database = PlanArguments.after(arguments, "Database: ", ",]");
        table = database == null || table == null ? table : database + "." + table;
        format = "hive";
        mode = "create";
        delegates = true;
        return true;
      case "SaveIntoDataSourceCommand":
        save(arguments, parts);
        return true;
      case "InsertIntoDataSourceDirCommand":
        path = PlanArguments.after(parts.get(0), "Location: ", ",)");
        format = parts.size() > 1 ? format(parts.get(1)) : null;
        mode = "overwrite";
        delegates = true;
        return true;
      case "MergeIntoCommand":
        delta("merge", arguments, parts);
        return true;
      case "UpdateCommand":
        delta("update", arguments, parts);
        return true;
      case "DeleteCommand":
        delta("delete", arguments, parts);
        return true;
      case "DeltaDynamicPartitionOverwriteCommand":
        delta("overwrite", arguments, parts);
        return true;
      default:
        return tableOfCatalog(name, what, arguments, parts);
    }
  }

  /** Path, static partitions, a flag, partition columns, format, options, mode, table, columns. */
  private void files(List<String> parts) {
    path = name(parts.get(0));
    int flag = 1;
    while (flag < parts.size() && !parts.get(flag).matches("true|false")) {
      for (String partition : PlanArguments.list(parts.get(flag))) {
        partitionColumns.add(partition.split("=", 2)[0]);
      }
      flag++;
    }
    int at = flag + 1;
    while (at < parts.size() && !MODE.matcher(parts.get(at)).matches()) {
      at++;
    }
    if (at >= parts.size()) {
      return;
    }
    mode = parts.get(at).toLowerCase(Locale.ROOT);
    boolean options = parts.get(at - 1).startsWith("[") || parts.get(at - 1).startsWith("Map(");
    int formatAt = options ? at - 2 : at - 1;
    format = formatAt > flag ? format(parts.get(formatAt)) : null;
    if (flag + 1 < formatAt) {
      List<String> columns = columns(parts.get(flag + 1));
      if (!columns.isEmpty()) {
        partitionColumns.clear();
        partitionColumns.addAll(columns);
      }
    }
    if (at + 1 < parts.size() && parts.get(at + 1).startsWith("`")) {
      table = name(parts.get(at + 1));
    }
  }

  private void hive(List<String> parts) {
    table = name(parts.get(0));
    format = "hive";
    int flag = 1;
    while (flag < parts.size() && !parts.get(flag).matches("true|false")) {
      for (String partition : PlanArguments.list(parts.get(flag))) {
        if (partition.contains("=")) {
          partitionColumns.add(partition.split("=", 2)[0]);
        }
      }
      flag++;
    }
    if (flag < parts.size()) {
      mode = parts.get(flag).equals("true") ? "overwrite" : "append";
    }
  }

  private void save(String arguments, List<String> parts) {
    String provider = parts.get(0);
    format = provider.contains("Jdbc") ? "jdbc" : format(provider);
    table = option(arguments, "dbtable");
    path = option(arguments, "path");
    String last = parts.get(parts.size() - 1);
    mode = MODE.matcher(last).matches() ? last.toLowerCase(Locale.ROOT) : null;
  }

  /** Of {@code [key=value, ...]} or {@code Map(key -> value, ...)}, or null. */
  private static String option(String arguments, String key) {
    Matcher found = Pattern.compile("[\\[( ]" + key + "(?:=| -> )([^,\\])]+)").matcher(arguments);
    return found.find() ? found.group(1).trim() : null;
  }

  /** The table is quoted where it has a name, or described as catalogs do. */
  private void delta(String what, String arguments, List<String> parts) {
    mode = what;
    deltaTable(arguments);
    format = "delta";
    for (String part : parts) {
      if (table == null && part.startsWith("`")) {
        table = name(part);
      }
    }
  }

  private void deltaTable(String arguments) {
    Matcher found = DELTA_PATH.matcher(arguments);
    if (found.find()) {
      format = "delta";
      path = found.group(1) == null ? found.group(2) : found.group(1);
    }
    Matcher named = CATALOG_TABLE.matcher(arguments);
    if (named.find()) {
      String catalog = named.group(1) == null ? "" : named.group(1) + ".";
      table = catalog + named.group(2) + "." + named.group(3);
    }
  }

  /** Of DataSource V2; since Spark 4.2 the node has the name of its table. */
  private boolean tableOfCatalog(String name, String what, String arguments, List<String> parts) {
    switch (what) {
      case "AppendData":
      case "AppendDataExecV1":
        mode = "append";
        break;
      case "OverwriteByExpression":
      case "OverwriteByExpressionExecV1":
      case "OverwritePartitionsDynamic":
        mode = "overwrite";
        break;
      case "ReplaceData":
      case "WriteDelta":
        mode = "rewrite";
        break;
      case "CreateTableAsSelect":
      case "AtomicCreateTableAsSelect":
        mode = "create";
        created(arguments, parts);
        return true;
      case "ReplaceTableAsSelect":
      case "AtomicReplaceTableAsSelect":
        mode = "replace";
        created(arguments, parts);
        return true;
      default:
        return false;
    }
    Matcher iceberg = ICEBERG.matcher(arguments);
    String own = PlanText.bounded(name).substring(what.length()).trim();
    if (arguments.contains(".noop.") || arguments.startsWith("NoopWrite")) {
      format = "noop";
    } else if (iceberg.find()) {
      format = "iceberg";
      table = iceberg.group(1);
    } else {
      // What writes deletes beside the rows is known by its class alone.
      format = arguments.contains("org.apache.iceberg.") ? "iceberg" : null;
      table = own.isEmpty() ? null : name(own);
    }
    deltaTable(arguments);
    return true;
  }

  /** A catalog, a name, and more, among it the provider of the table. */
  private void created(String arguments, List<String> parts) {
    delegates = true;
    String named = parts.size() > 1 ? parts.get(1) : "";
    if (named.length() <= MAX_NAME_CHARS && TABLE_NAME.matcher(named).matches()) {
      table = name(named);
    }
    Matcher provider = PROVIDER.matcher(arguments);
    if (provider.find()) {
      format = provider.group(1) == null ? provider.group(2) : provider.group(1);
    }
  }

  private static String name(String text) {
    return text.isEmpty() ? null : PlanArguments.unquoted(text);
  }

  /** A class is named without its package and what Spark's own have behind their names. */
  private static String format(String text) {
    String name = text.replaceFirst("@[0-9a-f]+$", "");
    name = name.substring(name.lastIndexOf('.') + 1).replaceFirst("\\$$", "");
    name = name.replaceFirst("^Gpu(?=[A-Z])", "");
    String plain =
        name.replaceFirst("(FileFormat|DataSource|RelationProvider|SourceProvider|Provider)$", "");
    return (plain.isEmpty() ? name : plain).toLowerCase(Locale.ROOT);
  }

  private static List<String> columns(String text) {
    List<String> columns = new ArrayList<>();
    for (String column : PlanArguments.list(text)) {
      int id = column.lastIndexOf('#');
      if (id > 0 && columns.size() < MAX_COLUMNS) {
        columns.add(column.substring(0, id));
      }
    }
    return columns;
  }

  /**
   * Takes the numbers that the execution tells.
   *
   * @param span whose plan this is read from
   */
  void measure(SqlSpan span) {
    OutputMetrics told = new OutputMetrics(node, span.metrics);
    succeeded = span.succeeded();
    if (!commits()) {
      numbers = told.ofSpark(!partitionColumns.isEmpty());
    } else if (succeeded) {
      numbers = "delta".equals(format) ? ofDelta(told, span.writes) : told.ofIceberg(span.totals);
    }
  }

  /** Such a table keeps nothing of what failed, whatever was written until then. */
  private boolean commits() {
    return "delta".equals(format) || "iceberg".equals(format);
  }

  private OutputNumbers ofDelta(OutputMetrics told, NestedWrites nested) {
    switch (mode == null ? "" : mode) {
      case "merge":
        return told.ofDeltaMerge();
      case "update":
        return told.ofDeltaUpdate();
      case "delete":
        return told.ofDeltaDelete();
      default:
        return nested.numbers();
    }
  }

  /** What it leaves open is said by the execution that does the writing for it. */
  void complete(SqlOutput nested) {
    if (numbers.tellRows() || !delegates) {
      return;
    }
    path = path == null ? nested.path : path;
    format = format == null ? nested.format : format;
    if (partitionColumns.isEmpty()) {
      partitionColumns.addAll(nested.partitionColumns);
    }
    if (succeeded || !commits()) {
      numbers = nested.numbers;
    }
  }

  /**
   * @param paths false for names of tables alone
   */
  void put(AttributeList.Builder to, boolean paths, Redactor redactor) {
    text(to, Names.SQL_OUTPUT_TABLE, table, redactor);
    text(to, Names.SQL_OUTPUT_PATH, paths ? path : null, redactor);
    text(to, Names.SQL_OUTPUT_FORMAT, format, redactor);
    text(to, Names.SQL_OUTPUT_MODE, mode, redactor);
    List<String> columns = new ArrayList<>(partitionColumns.size());
    for (String column : partitionColumns) {
      columns.add(Truncation.toBytes(redactor.text(column), Limits.WORD).text());
    }
    to.put(Names.SQL_OUTPUT_PARTITION_COLUMNS, columns);
    numbers.put(to);
  }

  private static void text(
      AttributeList.Builder to, Attribute key, String value, Redactor redactor) {
    Limits.putText(to, key, redactor.text(value), Limits.MESSAGE);
  }
}
