internal import BusContract
internal import Commands
internal import DBus

/// The opens of one command line: what each is sent with, and the processes they led to.
struct Opens {
  private let invocation: OpenInvocation
  private let command: OpenCommand
  private var options: OpenOptions
  /// When what is not done is given up; nil for never.
  private let end: Instant?
  private static let notRunning = RegistrationFailure.notRunning("").busError.name

  /// The processes in the order met, and the applications they run.
  private var used: [(pid: UInt32, application: String)] = []
  /// Those that were started for one of the opens, so that they have its streams.
  private var started: Set<UInt32> = []

  init(_ invocation: OpenInvocation, _ command: OpenCommand) throws(CommandFailure) {
    self.invocation = invocation
    self.command = command
    end = invocation.timeout.map { command.now() + .milliseconds($0) }
    options = invocation.options
    options.activationToken = command.activationToken
    if command.hasTerminal, options.interactive { options.confirmationAgent = Terminal.path }
    try invocation.streams.open(for: &options, from: command.folder)
  }

  /// Sends one and returns its receipt.
  /// - Parameter prefix: what begins each remark on it.
  mutating func send(
    prefix: String = "", _ message: (OpenOptions) -> Message
  ) throws(CommandFailure) -> Options {
    // A token is good for one launch, whatever becomes of it.
    defer { options.activationToken = nil }
    let receipt: Options
    do throws(CommandFailure) {
      receipt = try command.answer(until: end, options, message).first?.asOptions ?? [:]
    } catch {
      throw command.advising(error, on: invocation)
    }
    note(receipt, prefix: prefix)
    return receipt
  }

  /// Sends documents, as many with one call as it takes, and returns what became of them.
  mutating func send(documents urls: [String]) throws(CommandFailure) -> [Options] {
    var fates: [Options] = []
    var rest = urls[...]
    while !rest.isEmpty {
      var bytes = 0
      let some = rest.prefix(DocumentLimit.mostDocuments).prefix {
        bytes += $0.utf8.count
        return bytes <= DocumentLimit.mostBytes
      }
      // One that is too long by itself is for the daemon to refuse.
      let batch = some.isEmpty ? rest.prefix(1) : some
      rest = rest.dropFirst(batch.count)
      fates +=
        try command.answer(until: end, options) { Contract.openDocuments(Array(batch), $0) }.first?
        .asOptionsList ?? []
      options.activationToken = nil
      useAgain(fates.compactMap { $0[Key.pid]?.asUInt32 })
    }
    return fates
  }

  /// Of new processes one of each application gets all that is for it.
  private mutating func useAgain(_ processes: [UInt32]) {
    guard options.newInstance else { return }
    options.instances += processes.filter { !options.instances.contains($0) }
  }

  /// Says what the opener should know of an open that succeeded, and keeps its process in mind.
  mutating func note(_ receipt: Options, prefix: String) {
    if let remark = Self.remark(on: receipt) { command.output.complain(prefix + remark) }
    guard let pid = receipt[Key.pid]?.asUInt32, pid != 0 else { return }
    let handler = receipt[Key.handler]?.asString ?? "the application"
    if !used.contains(where: { $0.pid == pid }) { used.append((pid, handler)) }
    useAgain([pid])
    if receipt[Key.launch]?.asString == "cold" { started.insert(pid) }
    if let unused = invocation.optionsOfNewProcess, !started.contains(pid) {
      command.output.complain("\(handler) was running already, so \(unused) had no effect")
    }
  }

  /// What the opener should know of an open that succeeded; nil when all is well.
  private static func remark(on receipt: Options) -> String? {
    let handler = receipt[Key.handler]?.asString ?? "the application"
    guard receipt[Key.handled]?.asBoolean == false else { return nil }
    switch receipt[Key.delivery]?.asString {
    case "delivered": return "\(handler) got it and did not handle it"
    case "vetoed": return "\(handler) was launched, and its launch methods dropped it"
    default: return nil
    }
  }

  /// With `--wait-apps`, waits until the processes have ended that the opens led to, or until the
  /// time is over.
  func waitForExits() throws(CommandFailure) {
    guard invocation.waitsForExit else { return }
    var running: [String] = []
    for (pid, application) in used where try !hasEnded(pid) {
      running.append("\(application) (process \(pid))")
    }
    guard let last = running.last else { return }
    let names = running.dropLast().joined(separator: ", ")
    throw CommandFailure(
      .failed,
      "the time given with --timeout is over, and "
        + (names.isEmpty ? "\(last) still runs" : "\(names) and \(last) still run"))
  }

  /// Waits for the end of a process.
  /// - Returns: false when the time is over.
  private func hasEnded(_ pid: UInt32) throws(CommandFailure) -> Bool {
    do throws(ServiceFailure) {
      _ = try command.service.call(Contract.waitForExit(pid), remaining)
      return true
    } catch .timedOut {
      return false
    } catch {
      // It may have ended since the receipt was written.
      if case .refused(let refusal) = error, refusal.name == Self.notRunning { return true }
      throw CommandFailure(error)
    }
  }

  /// In milliseconds; nil for no limit. When the time is over, as long as an answer takes.
  private var remaining: Int32? {
    guard let end else { return nil }
    let rest = (end - command.now()) / .milliseconds(1)
    return max(Int32(clamping: Int64(rest)), Self.leastWait)
  }

  /// In milliseconds.
  private static let leastWait: Int32 = 100
}
