internal import BusContract
internal import Commands
internal import DBus
internal import Host

extension RegisterCommand {
  /// Reads the application folders again, without a timeout, and shows the progress.
  func reload(json: Bool = false) throws(CommandFailure) {
    // A daemon of an earlier version does not report progress.
    if !json, progress != nil { _ = try? call(Contract.watchReading()) }
    defer { progress?.end() }
    _ = try call(Contract.reload(), nil)
  }
}

extension ProgressLine {
  /// Shows the progress that the daemon reports. A forged signal can only change the displayed numbers.
  func hear(_ signal: borrowing Message) {
    guard signal.interface == Contract.registry.text,
      signal.member == Contract.readingProgress.text
    else { return }
    let numbers = signal.arguments().compactMap(\.asUInt64)
    if numbers.count == 2 { show(numbers[0], of: numbers[1]) }
  }
}
