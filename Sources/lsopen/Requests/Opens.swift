internal import BusContract
internal import Commands
internal import DBus
internal import LaunchRules

/// The opens of one command line, with their options and processes.
struct Opens {
  private let invocation: OpenInvocation
  private let command: OpenCommand
  private var options: OpenOptions
  /// The deadline for all opens; nil for none.
  private let end: Instant?
  private static let notRunning = RegistrationFailure.notRunning("").busError.name

  /// The URLs that may be sent before the results of those before them are known, in order.
  private var upcoming: ArraySlice<String>
  /// Opens that were sent, and whose results were not read.
  private var ahead: [(url: String, open: SentOpen)] = []

  /// Maximum number of opens that wait for their results at the same time.
  private static let mostAhead = 16
  /// Maximum size of the URLs of these opens, in bytes, except for a single one.
  private static let mostBytesAhead = 256 << 10

  /// The processes in order of use, with their applications.
  private var used: [(pid: UInt32, application: String)] = []
  /// The processes that were started for these opens, which have their streams.
  private var started: Set<UInt32> = []

  /// - Parameter urls: all that will be opened, in order, if these are only URLs of applications. Then they are sent without
  ///   a wait for the results of those before, unless the options depend on these results.
  init(
    _ invocation: OpenInvocation, _ command: OpenCommand, urls: [String] = []
  ) throws(CommandFailure) {
    upcoming = []
    self.invocation = invocation
    self.command = command
    end = invocation.timeout.map { command.now() + .milliseconds($0) }
    options = invocation.options
    options.waitsForExit = invocation.waitsForExit
    options.anyCharacters = command.passesOnAnyCharacters
    // Another machine does not know the desktop and the terminal of this one.
    let isRemote = command.service.remotePath() != nil
    if !isRemote { options.activationToken = command.activationToken }
    if !isRemote, command.hasTerminal, options.interactive {
      options.confirmationAgent = Terminal.path
    }
    try invocation.streams.open(for: &options, from: command.folder)
    // An open that starts a process determines the process of the next open. Another machine is asked on several
    // connections, which keep no order. While the terminal waits for an answer of the user, any other message would count
    // as the end of the question.
    let isIndependent =
      !options.newInstance && !options.hasStreams && options.device == nil
      && options.confirmationAgent == nil
    if isIndependent, urls.count > 1 { upcoming = urls[...] }
  }

  /// Opens a URL and returns its receipt. Sends the next URLs, too, as far as they are known.
  /// - Parameter prefix: prefix of remarks about the open.
  mutating func send(url: String, prefix: String) throws(CommandFailure) -> Options {
    sendAhead()
    guard ahead.first?.url == url else {
      upcoming = []
      return try send(prefix: prefix) { Contract.openURL(url, $0) }
    }
    let (open, end) = (ahead.removeFirst().open, end)
    return try receipt(prefix: prefix) { [command] () throws(CommandFailure) in
      try command.answer(until: end, to: open)
    }
  }

  private mutating func sendAhead() {
    while let url = upcoming.first, ahead.count < Self.mostAhead,
      ahead.isEmpty
        || ahead.reduce(url.utf8.count, { $0 + $1.url.utf8.count }) <= Self.mostBytesAhead
    {
      guard let open = command.begin(until: end, options, { Contract.openURL(url, $0) }) else {
        upcoming = []
        return
      }
      options.activationToken = nil
      upcoming = upcoming.dropFirst()
      ahead.append((url, open))
    }
  }

  /// Sends an open and returns its receipt.
  /// - Parameter prefix: prefix of remarks about the open.
  mutating func send(
    prefix: String = "", _ message: @escaping (OpenOptions) -> Message
  ) throws(CommandFailure) -> Options {
    // An activation token can be used for one launch only, successful or not.
    defer { options.activationToken = nil }
    let (end, options) = (end, options)
    return try receipt(prefix: prefix) { [command] () throws(CommandFailure) in
      try command.answer(until: end, options, message)
    }
  }

  /// Waits for the receipt of an open.
  private mutating func receipt(
    prefix: String, _ answer: () throws(CommandFailure) -> [Value]
  ) throws(CommandFailure) -> Options {
    let receipt: Options
    do throws(CommandFailure) {
      receipt = try answer().first?.asOptions ?? [:]
    } catch {
      throw command.advising(error, on: invocation)
    }
    add(receipt, prefix: prefix)
    return receipt
  }

  /// Opens documents, with as many per call as its limit allows, and returns the results.
  mutating func send(documents urls: [String]) throws(CommandFailure) -> [Options] {
    var fates: [Options] = []
    var rest = urls[...]
    while !rest.isEmpty {
      var bytes = 0
      let some = rest.prefix(DocumentLimit.mostDocuments).prefix {
        bytes += $0.utf8.count
        return bytes <= DocumentLimit.mostBytes
      }
      // The daemon refuses a single URL that is too long.
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

  /// Reuses one new process of each application for further opens.
  private mutating func useAgain(_ processes: [UInt32]) {
    guard options.newInstance else { return }
    options.instances += processes.filter { !options.instances.contains($0) }
  }

  /// Prints remarks about a successful open, and stores its process.
  mutating func add(_ receipt: Options, prefix: String) {
    if let remark = Self.remark(on: receipt) { command.output.complain(prefix + remark) }
    for step in receipt[Key.trail]?.asTrail ?? [] where command.service.remotePath() != nil {
      guard let problem = CallbackProblem(step: step.state) else { continue }
      command.output.complain(prefix + problem.sentence)
    }
    guard let pid = receipt[Key.pid]?.asUInt32, pid != 0 else { return }
    let handler = receipt[Key.handler]?.asString ?? "the application"
    if !used.contains(where: { $0.pid == pid }) { used.append((pid, handler)) }
    useAgain([pid])
    if receipt[Key.launch]?.asString == "cold" { started.insert(pid) }
    if let unused = invocation.optionsOfNewProcess, !started.contains(pid) {
      command.output.complain("\(handler) was running already, so \(unused) had no effect")
    }
  }

  /// A remark about a successful open; nil when none is needed.
  private static func remark(on receipt: Options) -> String? {
    let handler = receipt[Key.handler]?.asString ?? "the application"
    guard receipt[Key.handled]?.asBoolean == false else { return nil }
    switch receipt[Key.delivery]?.asString {
    case "delivered": return "\(handler) received the request and reported it as not handled"
    case "vetoed": return "a launch method of \(handler) refused the request"
    case "without-url":
      return
        "\(handler) was opened without the URL, which would have no effect; 'lsopen --explain' says why"
    default: return nil
    }
  }

  /// With `--wait-apps`, waits until the processes of the opens have ended, or until the deadline.
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
  /// - Returns: false when the deadline is reached.
  private func hasEnded(_ pid: UInt32) throws(CommandFailure) -> Bool {
    do throws(ServiceFailure) {
      _ = try command.service.call(Contract.waitForExit(pid), remaining)
      return true
    } catch .timedOut {
      return false
    } catch {
      // The process may have ended after the receipt was written.
      if case .refused(let refusal) = error, refusal.name == Self.notRunning { return true }
      throw CommandFailure(error)
    }
  }

  /// The remaining time in milliseconds; nil without limit. After the deadline, the minimum time for a reply.
  private var remaining: Int32? {
    guard let end else { return nil }
    let rest = (end - command.now()) / .milliseconds(1)
    return max(Int32(clamping: Int64(rest)), Self.leastWait)
  }

  /// Minimum time for a reply, in milliseconds.
  private static let leastWait: Int32 = 100
}
