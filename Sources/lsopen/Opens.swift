internal import BusContract
internal import Commands
internal import DBus

/// The opens of one command line: what each is sent with, and the processes they led to.
struct Opens {
  private let invocation: OpenInvocation
  private let command: OpenCommand
  private var options: OpenOptions
  private static let notRunning = RegistrationFailure.notRunning("").busError.name

  /// In the order met.
  private var pids: [UInt32] = []
  /// Those that were started for one of the opens, so that they have its streams.
  private var started: Set<UInt32> = []

  init(_ invocation: OpenInvocation, _ command: OpenCommand) throws(CommandFailure) {
    self.invocation = invocation
    self.command = command
    options = invocation.options
    options.activationToken = command.activationToken
    if command.hasTerminal, options.interactive { options.confirmationAgent = Terminal.path }
    try invocation.streams.open(for: &options, from: command.folder)
  }

  /// Sends one and returns its receipt.
  mutating func send(_ message: (OpenOptions) -> Message) throws(CommandFailure) -> Options {
    // A token is good for one launch, whatever becomes of it.
    defer { options.activationToken = nil }
    let receipt = try command.answer(invocation, options, message)
    guard let pid = receipt[Key.pid]?.asUInt32, pid != 0 else { return receipt }
    if !pids.contains(pid) { pids.append(pid) }
    if receipt[Key.launch]?.asString == "cold" { started.insert(pid) }
    if let unused = invocation.streams.phrase, !started.contains(pid) {
      let handler = receipt[Key.handler]?.asString ?? "the application"
      command.output.complain("\(handler) was running already, so \(unused) had no effect")
    }
    return receipt
  }

  /// With `--wait-apps`, waits until the processes have ended that the opens led to.
  func waitForExits() throws(CommandFailure) {
    guard invocation.waitsForExit else { return }
    for pid in pids {
      do throws(ServiceFailure) {
        _ = try command.service.call(Contract.waitForExit(pid), nil)
      } catch {
        // It may have ended since the receipt was written.
        if case .refused(let refusal) = error, refusal.name == Self.notRunning { continue }
        throw CommandFailure(error)
      }
    }
  }
}
