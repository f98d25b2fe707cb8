internal import BusContract
internal import Commands
internal import DBus

extension RegisterCommand {
  /// However long it takes to read very many property lists; says how far it is to who sees it.
  func reload(json: Bool = false) throws(CommandFailure) {
    // A daemon of an earlier version does not say.
    if !json, progress != nil { _ = try? call(Contract.watchReading()) }
    defer { progress?.end() }
    _ = try call(Contract.reload(), nil)
  }
}

extension ProgressLine {
  /// Shows what the daemon says. Whoever else sends such a signal changes two numbers on a screen.
  func hear(_ signal: borrowing Message) {
    guard signal.interface == Contract.registry.text,
      signal.member == Contract.readingProgress.text
    else { return }
    let numbers = signal.arguments().compactMap(\.asUInt64)
    if numbers.count == 2 { show(numbers[0], of: numbers[1]) }
  }
}
