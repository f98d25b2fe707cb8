internal import BusContract
internal import Commands
internal import Glibc

/// Whole commands, from their start to their end, in turn.
@MainActor
enum CommandFigures {
  static func measure(
    _ world: BenchWorld, rounds: Int, into table: inout Table
  ) throws(CommandFailure) {
    guard unsafe access("/usr/bin/dbus-send", X_OK) == 0 else {
      throw CommandFailure(
        .noSuchFile, "dbus-send is missing; install the package dbus-bin or dbus")
    }
    // dbus-send cannot write the a{sv} of CanOpenURL; this call finds out who asks and looks the
    // scheme up all the same.
    let dbusSend = [
      "--session", "--print-reply", "--dest=\(Contract.busName)", "\(Contract.objectPath)",
      "\(Contract.registry).DefaultHandler", "string:lsbench",
    ]
    let lsopen = BenchWorld.products + "/lsopen"
    let send = "dbus-send, DefaultHandler"
    let questions: [Command] = [
      Command(send, "/usr/bin/dbus-send", dbusSend),
      Command("lsopen --can-open", lsopen, ["--can-open", "https://example.com"], [(send, 0.85)]),
      Command("gio mime", "/usr/bin/gio", ["mime", "x-scheme-handler/lsbench-desktop"]),
      Command(
        "xdg-mime query default", "/usr/bin/xdg-mime",
        ["query", "default", "x-scheme-handler/lsbench-desktop"]),
    ]
    try measure(questions, world, rounds, &table)
    let opens: [Command] = [
      Command("gio open", "/usr/bin/gio", ["open", "lsbench-desktop:x"]),
      Command("xdg-open", "/usr/bin/xdg-open", ["lsbench-desktop:x"]),
      Command("lsopen, warm", lsopen, ["lsbench:x"], [("gio open", 0.2), ("xdg-open", 0.15)]),
    ]
    try measure(opens, world, rounds, &table)
  }

  /// A command line; those whose program is not installed are left out.
  private struct Command {
    var name: String
    var executable: String
    var arguments: [String]
    /// The names of the commands it is compared with, and the aims.
    var baselines: [(name: String, aim: Double)]

    init(
      _ name: String, _ executable: String, _ arguments: [String],
      _ baselines: [(name: String, aim: Double)] = []
    ) {
      self.name = name
      self.executable = executable
      self.arguments = arguments
      self.baselines = baselines
    }
  }

  private static func measure(
    _ commands: [Command], _ world: BenchWorld, _ rounds: Int, _ table: inout Table
  ) throws(CommandFailure) {
    let commands = commands.filter { unsafe access($0.executable, X_OK) == 0 }
    var times = [[Double]](repeating: [], count: commands.count)
    for _ in 0..<rounds {
      for (index, command) in commands.enumerated() {
        times[index].append(try world.time(command.executable, command.arguments) * 1000)
      }
    }
    let figures = times.map(Figure.init)
    for (command, figure) in zip(commands, figures) {
      let baselines = command.baselines.compactMap { baseline in
        commands.firstIndex { $0.name == baseline.name }.map {
          (figure: figures[$0], name: baseline.name, aim: baseline.aim)
        }
      }
      if baselines.isEmpty { table.add(command.name, figure, unit: "ms") }
      for baseline in baselines {
        table.add(
          command.name, figure, unit: "ms", over: baseline.figure, baseline.name, aim: baseline.aim)
      }
    }
  }
}
