package import DBus
package import LaunchRules

// The second value of the reply to `OpenURLs`, with which a handler says that it only passed the URLs on.

extension Key {
  package static let way = "way"
  package static let owner = "owner"
  package static let handOver = "hand-over"
  package static let exitStatus = "exit-status"
  package static let signal = "signal"
}

extension HandOver {
  package var dictionary: Options {
    var options: Options = [
      Key.delivery: .string(delivery.rawValue), Key.way: .string(way.text),
    ]
    if let launch { options[Key.launch] = .string(launch.rawValue) }
    if let process { options[Key.pid] = .uint32(UInt32(process)) }
    if let exitStatus { options[Key.exitStatus] = .uint32(UInt32(exitStatus)) }
    if let owner {
      options[Key.owner] = .structure([
        .uint32(UInt32(bitPattern: owner.pid)), .uint64(owner.startTime),
      ])
    }
    return options
  }

  /// Nil without a way, and for a delivery that a handler cannot state about another program.
  package init?(_ options: Options) {
    guard let delivery = options[Key.delivery]?.asString.flatMap(OpenOutcome.Delivery.init),
      delivery != .vetoed, let way = options[Key.way]?.asString.flatMap(Way.init)
    else { return nil }
    self.init(
      delivery, by: way,
      launch: options[Key.launch]?.asString.flatMap(OpenOutcome.Launch.init),
      owner: options[Key.owner]?.elements.flatMap(Owner.init),
      process: options[Key.pid]?.asUInt32.flatMap { Int32(exactly: $0) })
    exitStatus = options[Key.exitStatus]?.asUInt32.flatMap { Int32(exactly: $0) }
      .flatMap { (1...125).contains($0) ? $0 : nil }
  }
}

extension HandOver.Owner {
  /// Nil for a number that no process has.
  fileprivate init?(_ values: [Value]) {
    guard values.count == 2, let number = values[0].asUInt32, let pid = Int32(exactly: number),
      pid > 0, let startTime = values[1].asUInt64
    else { return nil }
    self.init(pid: pid, startTime: startTime)
  }
}
