internal import BusContract
internal import Commands
internal import DBus
internal import Glibc
internal import Host

/// One flood beside quiet moments of the same daemon, which starts for it and ends with it.
struct FloodRun: Codable {
  /// What a bystander noticed of one of its acts.
  struct Notice: Codable {
    var act: Bystander.Act
    /// In milliseconds.
    var quiet: Figure
    var flooded: Figure
    var count: Int
    var failures: Int
    /// Of the first that failed.
    var failure: String?
  }

  var flood: Flood
  /// What the flood says of itself.
  var remark: String
  var notices: [Notice]
  var quiet: DaemonFigures
  var flooded: DaemonFigures
  /// The most that were seen.
  var mostDescriptors: Int
  /// Ten seconds after the flood.
  var after: DaemonFigures
  /// Seconds of the processor in those ten.
  var workAfter: Double

  @MainActor
  init(_ flood: Flood, isQuick: Bool) throws(CommandFailure) {
    let world = try BenchWorld()
    defer { world.end() }
    self.flood = flood
    if flood.transport == .remote { try world.addRemote() }
    let bystander = try Bystander(world, patience: isQuick ? 500 : 10_000)
    // Both handlers run from here on.
    world.connection.send(
      .call(
        to: Contract.busName, path: Contract.objectPath, interface: Contract.workspace,
        member: "OpenURL", [.string(BenchWorld.hungURL), .options([:])], expectsReply: false))
    _ = bystander.act(for: .milliseconds(isQuick ? 20 : 300))
    let quietTimes = bystander.act(for: .milliseconds(isQuick ? 50 : 2000))
    let daemon = world.daemon
    quiet = try DaemonFigures(of: daemon)
    DaemonFigures.forgetPeak(of: daemon)

    let flooders = try Flooders(flood, in: world, isQuick: isQuick)
    var isOver = false
    defer { if !isOver { flooders.end() } }
    remark = try flooders.areUnderWay()
    var most = 0
    let look = { most = max(most, DaemonFigures.descriptors(of: daemon)) }
    // The first ones, which see the flood come, do not count.
    _ = bystander.act(for: .milliseconds(isQuick ? 20 : 500), look: look)
    let floodedTimes = bystander.act(for: .milliseconds(isQuick ? 50 : 4000), look: look)
    look()
    flooded = try DaemonFigures(of: daemon)
    mostDescriptors = most
    flooders.end()
    isOver = true
    let ended = try DaemonFigures(of: daemon)
    poll(nil, 0, isQuick ? 100 : 10_000)
    after = try DaemonFigures(of: daemon)
    workAfter = after.processorTime - ended.processorTime
    notices = Bystander.Act.allCases.compactMap { act in
      guard let quiet = quietTimes[act], let flooded = floodedTimes[act] else { return nil }
      return Notice(
        act: act, quiet: Figure(quiet.milliseconds), flooded: Figure(flooded.milliseconds),
        count: flooded.milliseconds.count, failures: flooded.failures.count,
        failure: flooded.failures.first)
    }
  }
}

/// The processes of a flood.
@MainActor
private struct Flooders {
  private let processes: [Int32]
  /// Of the pipe on which they say that they are under way; nil when they are other programs.
  private let output: Int32?

  init(_ flood: Flood, in world: BenchWorld, isQuick: Bool) throws(CommandFailure) {
    var processes: [Int32] = []
    guard let arguments = flood.arguments(isQuick: isQuick) else {
      for _ in 0..<flood.processes {
        processes.append(
          try world.start("lsopen", ["--no-ask", BenchWorld.hungURL], standardError: .nothing))
      }
      self.processes = processes
      output = nil
      return
    }
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { throw CommandFailure(.failed, "no pipe can be made") }
    defer { close(ends[1]) }
    for _ in 0..<flood.processes {
      processes.append(
        try world.start("lsbench", arguments, standardOutput: .descriptor(ends[1])))
    }
    self.processes = processes
    output = ends[0]
  }

  /// Waits until all are.
  /// - Returns: what the first has to say.
  func areUnderWay() throws(CommandFailure) -> String {
    guard let output else { return "" }
    var text: [UInt8] = []
    while text.count(where: { $0 == UInt8(ascii: "\n") }) < processes.count {
      var state = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
      var bytes = [UInt8](repeating: 0, count: 256)
      guard unsafe poll(&state, 1, 60_000) == 1 else {
        throw CommandFailure(.failed, "a flood does not get under way within a minute")
      }
      let count = unsafe read(output, &bytes, bytes.count)
      guard count > 0 else { throw CommandFailure(.failed, "the processes of a flood have ended") }
      text += bytes.prefix(count)
    }
    return String(decoding: text.split(separator: UInt8(ascii: "\n")).first ?? [], as: UTF8.self)
  }

  func end() {
    for process in processes { kill(process, SIGKILL) }
    for process in processes { waitpid(process, nil, 0) }
    if let output { close(output) }
  }
}
