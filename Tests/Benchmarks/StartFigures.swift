internal import BusContract
internal import Commands
internal import DBus
internal import FoundationEssentials
internal import Glibc
internal import Host

/// How long the daemon takes to start with very many applications, what it then takes in memory, and what
/// one change and one question cost.
@MainActor
enum StartFigures {
  /// The aims for starts with a cache, in milliseconds.
  private static let limits: [Int: Double] = [10_000: 60, 100_000: 400]

  /// - Parameter counts: of loose property lists, fewest first; and of those, how many bundles.
  static func measure(
    _ counts: [Int], bundles: [Int], into table: inout Table
  ) throws(CommandFailure) {
    var empty: Double?
    var fewest: Double?
    for count in counts {
      let world = try StartWorld(count, .loose)
      defer { world.end() }
      let name = "\(count) applications"
      let floor = Figure(
        try (0..<3).map { _ throws(CommandFailure) in try world.lookAtFiles() })
      table.add("to look at \(count) files, one thread", floor, unit: "ms")
      let entries = Figure(
        try (0..<3).map { _ throws(CommandFailure) in try world.updateDesktop() })
      table.add("update-desktop-database, \(count) entries", entries, unit: "ms")
      let (cold, warm) = try world.starts(3)
      table.add(
        "start until an answer, \(name), nothing cached", cold, unit: "ms", over: entries,
        "update-desktop-database", aim: count == 10_000 ? 1 : nil)
      table.add("start until an answer, \(name), cached", warm, unit: "ms", aim: limits[count])
      _ = try world.startUntilAnswer()
      let resident = try world.idleMemory()
      table.add(
        "resident memory when idle, \(name)", Figure(median: resident / 1024), unit: "MiB",
        aim: count == 10 ? 12 : nil)
      if let empty, count >= 1000 {
        table.add(
          "memory of one application, \(name)",
          Figure(median: (resident - empty) * 1024 / Double(count)), unit: "bytes",
          aim: count == 100_000 ? 1200 : nil)
      }
      if count == 0 { empty = resident }
      if count > 0 {
        let (ping, question) = try world.questions(4000)
        // The machine is not the same an hour later, or in a minute.
        let byPing = question.median / ping.median
        table.add(
          "CanOpenURL, \(name)", question, unit: "µs", ratio: fewest.map { byPing / $0 },
          fewest.map { _ in "with the fewest, each by its Ping" }, aim: fewest.map { _ in 1.03 })
        if fewest == nil { fewest = byPing }
        table.add(
          "processor time of one change, \(name)",
          Figure(try world.changes(20)), unit: "ms")
      }
      try world.stop()
      if bundles.contains(count) { try measureBundles(count, cold, warm, into: &table) }
    }
  }

  /// Folders, each with a property list: there is more to find, and each is watched.
  /// - Parameters:
  ///   - looseCold: the start with as many loose property lists, nothing cached.
  ///   - looseWarm: the same, cached.
  private static func measureBundles(
    _ count: Int, _ looseCold: Figure, _ looseWarm: Figure, into table: inout Table
  ) throws(CommandFailure) {
    let world = try StartWorld(count, .bundle)
    defer { world.end() }
    let name = "\(count) bundles"
    let (cold, warm) = try world.starts(count < 100_000 ? 3 : 1)
    table.add(
      "start until an answer, \(name), nothing cached", cold, unit: "ms", over: looseCold,
      "loose property lists")
    table.add(
      "start until an answer, \(name), cached", warm, unit: "ms", over: looseWarm,
      "loose property lists")
    _ = try world.startUntilAnswer()
    table.add(
      "resident memory when idle, \(name)", Figure(median: try world.idleMemory() / 1024),
      unit: "MiB")
    table.add(
      "processor time of one change, \(name)", Figure(try world.changes(20)), unit: "ms")
    try world.stop()
  }
}

/// A bus, a folder of applications, and daemons one after the other.
@MainActor
final class StartWorld {
  private let folder: String
  private let many: ManyApplications
  private let bus: Int32
  private let connection: Connection
  private let environment: [String: String]
  private let products: String
  private var daemon: Int32 = 0

  /// - Parameter entries: paths of desktop entries, which the user gets. Their programs are replaced by one that is installed:
  ///   GIO leaves out entries whose program is not there.
  init(
    _ count: Int, _ layout: ManyApplications.Layout, entries: [String] = []
  ) throws(CommandFailure) {
    folder = FileManager.default.temporaryDirectory.path + "/lsbench-\(randomToken().prefix(12))"
    many = try ManyApplications(count, layout, in: folder + "/data")
    let address = "unix:path=\(folder)/bus"
    environment = BenchWorld.environment(folder, address)
    products = BenchWorld.products
    do {
      bus = try spawn(
        Launch(
          executable: "/usr/bin/dbus-daemon",
          arguments: ["--session", "--nofork", "--nopidfile", "--address=\(address)"],
          environment: environment, standardError: .nothing))
      connection = try BenchWorld.retrying { () throws(BusError) in
        try Connection(address: address)
      }
    } catch {
      throw CommandFailure(.failed, "the private bus could not be set up: \(error)")
    }
    do {
      for entry in entries {
        let name = entry.split(separator: "/").last ?? ""
        let lines = try String(contentsOf: URL(filePath: entry), encoding: .utf8)
          .split(separator: "\n", omittingEmptySubsequences: false)
        let changed = lines.filter { !$0.hasPrefix("TryExec=") }.map { line in
          line.hasPrefix("Exec=") ? "Exec=/usr/bin/true %u" : line
        }
        try AtomicFile.write(
          Array(changed.joined(separator: "\n").utf8), to: "\(many.desktopEntries)/\(name)")
      }
    } catch {
      throw CommandFailure(.failed, "the desktop entries cannot be copied: \(error)")
    }
  }

  /// Adds a desktop entry with a scheme of its own, and waits until the daemon has read it with all others.
  func addEntry(claiming scheme: String) throws(CommandFailure) {
    let entry =
      "[Desktop Entry]\nType=Application\nName=lsbench\nExec=/usr/bin/true %u\n"
      + "MimeType=x-scheme-handler/\(scheme);\n"
    do {
      try AtomicFile.write(
        Array(entry.utf8), to: "\(many.desktopEntries)/\(scheme).desktop")
      // GIO finds handlers in the cache that this makes.
      _ = try updateDesktop(many.desktopEntries)
      let end = ContinuousClock.now + .seconds(30)
      while try connection.callAndWait(Contract.handlers(scheme)).first?.asStrings == [] {
        guard ContinuousClock.now < end else {
          throw CommandFailure(
            .failed,
            "the daemon did not read the desktop entries within 30 s: launchservices-desktop must be beside it, in"
              + " \(products)")
        }
        usleep(10_000)
      }
    } catch let error as CommandFailure {
      throw error
    } catch {
      throw CommandFailure(.failed, "\(error)")
    }
  }

  /// Starts and ends it, with nothing cached and then with all.
  /// - Returns: milliseconds until the daemon has answered the first call.
  func starts(_ rounds: Int) throws(CommandFailure) -> (cold: Figure, warm: Figure) {
    var cold: [Double] = []
    var warm: [Double] = []
    for _ in 0..<rounds {
      forget()
      cold.append(try startUntilAnswer())
      try stop()
      warm.append(try startUntilAnswer())
      try stop()
    }
    return (Figure(cold), Figure(warm))
  }

  /// Milliseconds until the daemon has answered the first call, for which it has read the registry.
  func startUntilAnswer() throws(CommandFailure) -> Double {
    let start = ContinuousClock.now
    _ = try self.start()
    // Calls wait until the registry has been read.
    do throws(BusError) { _ = try connection.callAndWait(Contract.ping()) } catch {
      throw CommandFailure(.failed, error.description)
    }
    return (ContinuousClock.now - start) / .milliseconds(1)
  }

  /// Milliseconds until the daemon owns its name.
  func start() throws(CommandFailure) -> Double {
    let start = ContinuousClock.now
    do {
      daemon = try spawn(
        Launch(
          executable: products + "/launchservicesd", arguments: ["--log-level", "error"],
          environment: environment))
      while try connection.callAndWait(
        .call(
          to: "org.freedesktop.DBus", path: "/org/freedesktop/DBus",
          interface: "org.freedesktop.DBus", member: "NameHasOwner",
          [.string(Contract.busName.text)])) != [.boolean(true)]
      {
        usleep(500)
      }
    } catch {
      throw CommandFailure(.failed, "\(error)")
    }
    return (ContinuousClock.now - start) / .milliseconds(1)
  }

  func stop() throws(CommandFailure) {
    kill(daemon, SIGTERM)
    waitpid(daemon, nil, 0)
    daemon = 0
  }

  /// Removes the cache.
  func forget() { try? FileManager.default.removeItem(atPath: folder + "/cache") }

  func end() {
    for pid in [daemon, bus] where pid > 0 {
      kill(pid, SIGTERM)
      waitpid(pid, nil, 0)
    }
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Milliseconds.
  func lookAtFiles() throws(CommandFailure) -> Double {
    try FloorFigures.lookAtFiles(in: many.applications)
  }

  /// Milliseconds that `update-desktop-database` takes for a desktop entry of each application.
  func updateDesktop() throws(CommandFailure) -> Double {
    try updateDesktop(many.comparedEntries)
  }

  /// Milliseconds.
  private func updateDesktop(_ folder: String) throws(CommandFailure) -> Double {
    let start = ContinuousClock.now
    do throws(SpawnError) {
      let pid = try spawn(
        Launch(
          executable: "/usr/bin/update-desktop-database", arguments: [folder],
          environment: environment, standardOutput: .nothing, standardError: .nothing))
      waitpid(pid, nil, 0)
    } catch {
      throw CommandFailure(.noSuchFile, "install the package desktop-file-utils: \(error)")
    }
    return (ContinuousClock.now - start) / .milliseconds(1)
  }

  /// The number of applications that are registered.
  func applications() throws(CommandFailure) -> Int {
    do throws(BusError) {
      return try ApplicationQuery.all { (message) throws(BusError) in
        try connection.callAndWait(message)
      }.count
    } catch {
      throw CommandFailure(.failed, error.description)
    }
  }

  /// Waits until the daemon has given back the memory that it needed for its start and for calls.
  /// - Returns: kilobytes of resident memory.
  func idleMemory() throws(CommandFailure) -> Double {
    sleep(BenchWorld.secondsUntilIdle)
    return try memory()
  }

  /// Kilobytes of resident memory. No call is sent, which would need memory.
  func memory() throws(CommandFailure) -> Double {
    Double(try BenchWorld.residentKilobytes(of: daemon))
  }

  /// Of a `Ping` and a question in turn, in microseconds.
  func questions(_ rounds: Int) throws(CommandFailure) -> (ping: Figure, question: Figure) {
    let query = QueryOptions(actAs: ManyApplications.identifier(0))
    let figures = try CallFigures.alternating(
      [
        (connection, Contract.ping),
        (
          connection,
          { Contract.canOpenURL(ManyApplications.scheme(0, 0) + ":x", query) }
        ),
      ], rounds)
    return (figures[0], figures[1])
  }

  /// Milliseconds of processor time from one more application to the answer that knows it.
  func changes(_ rounds: Int) throws(CommandFailure) -> [Double] {
    var times: [Double] = []
    settle()
    for round in 0..<rounds {
      let index = many.count + round
      let before = processorTime()
      try many.add(index)
      do throws(BusError) {
        while try connection.callAndWait(
          Contract.handlers(ManyApplications.scheme(index, 0))
        ).first?.asStrings == [] {
          usleep(20_000)
        }
      } catch {
        throw CommandFailure(.failed, error.description)
      }
      times.append(processorTime() - before)
    }
    return times
  }

  /// Waits until nothing of the start is left to do.
  private func settle() {
    var before = -1.0
    var now = processorTime()
    while now != before {
      usleep(300_000)
      (before, now) = (now, processorTime())
    }
  }

  /// Of all threads, in milliseconds.
  private func processorTime() -> Double {
    let tasks = "/proc/\(daemon)/task"
    let names = (try? FolderListing(of: tasks).names) ?? []
    let nanoseconds = names.map { name in
      let file = try? RegularFile.read("\(tasks)/\(name)/schedstat", atMost: 256).bytes
      let first = (file ?? []).prefix { $0 != UInt8(ascii: " ") }
      return Double(String(decoding: first, as: UTF8.self)) ?? 0
    }
    return nanoseconds.reduce(0, +) / 1_000_000
  }
}
