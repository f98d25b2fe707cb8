internal import Commands
internal import FoundationEssentials
internal import Glibc
internal import Host

/// `lsbench`: what a call costs beside a baseline of the same run, as one Markdown table.
@main
@MainActor
enum LSBench {
  enum Option: CommandOption {
    case quick, callgrind, filter, json, help, version
    case handler, direct, hang, once, connect, flooder, echo

    var spelling: OptionSpelling {
      switch self {
      case .quick: OptionSpelling("quick", help: "few rounds: checks that everything runs")
      case .callgrind:
        OptionSpelling(
          "callgrind",
          help: "count instructions with valgrind, not with the processor; none of opens")
      case .filter:
        OptionSpelling(
          "filter", .one("TEXT"),
          help:
            "only calls, blocks (of floods, a part of calls), starts, entries, applications (left out without --filter),"
            + " or the floods that have TEXT in"
            + " their name")
      case .json: OptionSpelling("json", help: "print the figures as JSON")
      case .help: OptionSpelling("help", short: "h", help: "print this and end")
      case .version: OptionSpelling("version", help: "print the version and end")
      case .handler: OptionSpelling("handler", help: "be the handler that is measured")
      case .direct: OptionSpelling("direct", help: "be one that hears directly")
      case .hang: OptionSpelling("hang", help: "be a handler that never answers")
      case .once: OptionSpelling("once", help: "be a handler that ends after each URL")
      case .connect: OptionSpelling("connect", help: "connect to the bus and end")
      case .flooder:
        OptionSpelling("flooder", .one("FLOOD"), help: "be a process of a flood")
      case .echo: OptionSpelling("echo", help: "send back what comes on standard input")
      }
    }
  }

  static func main() {
    let output = Output.ofProcess(command: "lsbench")
    do throws(CommandFailure) {
      var options: Set<Option> = []
      var values: [Option: String] = [:]
      for argument in try Argument<Option>.parse(try ProcessArguments.all()) {
        guard case .option(let option, let value) = argument else {
          throw .usage("no operands expected")
        }
        options.insert(option)
        values[option] = value
      }
      if options.contains(.help) { return printHelp(to: output) }
      if options.contains(.version) { return output.print("lsbench \(version)") }
      if options.contains(.handler) { return BenchHandler.run() }
      if options.contains(.direct) { return BenchHandler.run(direct: true) }
      if options.contains(.hang) { return BenchHandler.run(hangs: true) }
      if options.contains(.once) { return BenchHandler.run(once: true) }
      if options.contains(.connect) { return BenchHandler.connect() }
      if let flood = values[.flooder] { return try Flooder(flood).run() }
      if options.contains(.echo) { return FloorFigures.echo() }
      let filter = values[.filter] ?? ""
      let isWanted = { (name: String) in filter.isEmpty || contains(name, filter) }
      let isQuick = options.contains(.quick)
      var table = Table()
      if isWanted("calls") {
        try measure(
          rounds: isQuick ? 50 : 3000, usingCallgrind: options.contains(.callgrind), into: &table)
      }
      if isWanted("starts") {
        try StartFigures.measure(
          isQuick ? [0, 10, 1000] : [0, 10, 1000, 10_000, 100_000],
          bundles: isQuick ? [1000] : [10_000, 100_000], into: &table)
      }
      if !filter.isEmpty, isWanted("blocks") {
        try FloodFigures.measure(rounds: isQuick ? 50 : 3000, into: &table)
      }
      if isWanted("entries") {
        try EntryFigures.measure(
          rounds: isQuick ? 1 : 15, memoryRounds: isQuick ? 0 : 3, into: &table)
      }
      // Applications of Debian take minutes.
      if !filter.isEmpty, isWanted("applications") {
        try ApplicationFigures.measure(rounds: isQuick ? 2 : 20, into: &table)
      }
      let floods = try FloodTable(isQuick: isQuick, isWanted: isWanted)
      guard !table.isEmpty || !floods.isEmpty else {
        throw .usage("nothing that is measured has '\(filter)' in its name")
      }
      if options.contains(.json) {
        output.print(
          (table.isEmpty ? [] : table.json) + (floods.isEmpty ? [] : floods.json))
      } else {
        output.print(
          Surroundings.lines() + (table.isEmpty ? [] : table.markdown)
            + (floods.isEmpty ? [] : floods.markdown))
      }
    } catch {
      output.complain(error)
      ProcessArguments.end(error.code)
    }
  }

  private static func measure(
    rounds: Int, usingCallgrind: Bool, into table: inout Table
  ) throws(CommandFailure) {
    let world = try BenchWorld()
    defer { world.end() }
    try FloorFigures.measureRoundTrips(rounds: rounds, into: &table)
    try CallFigures.measure(world, rounds: rounds, into: &table)
    try ColdFigures.measure(world, rounds: max(10, rounds / 20), into: &table)
    try CommandFigures.measure(world, rounds: max(10, rounds / 20), into: &table)
    try InstructionFigures.measure(world, usingCallgrind: usingCallgrind, into: &table)
    func memory() throws(CommandFailure) -> Figure {
      Figure(median: Double(try world.residentKilobytes()) / 1024)
    }
    table.add("daemon, resident memory after these calls", try memory(), unit: "MiB")
    sleep(BenchWorld.secondsUntilIdle)
    table.add("daemon, resident memory when idle", try memory(), unit: "MiB", aim: 12)
    try FloodFigures.measure(world, rounds: rounds, into: &table)
  }

  private static func contains(_ name: String, _ text: String) -> Bool {
    name.indices.contains { name[$0...].hasPrefix(text) }
  }

  private static func printHelp(to output: Output) {
    var help = HelpText(
      usage: ["lsbench [--quick] [--callgrind] [--filter TEXT] [--json]"],
      purpose: [
        "Measures the launchservicesd and lsopen beside it on a private bus.",
        "Build all of them for release first: systemd/build-release",
      ])
    help.options([Option.quick, .callgrind, .filter, .json, .help, .version])
    help.print(to: output)
  }
}
