package import DBus
package import LaunchRules

// The second value of the reply to `OpenURLs`, with which a handler says that it only passed the URLs on.

extension Key {
  package static let way = "way"
}

extension HandOver {
  package var dictionary: Options {
    var options: Options = [
      Key.delivery: .string(delivery.rawValue), Key.way: .string(way.text),
    ]
    if let launch { options[Key.launch] = .string(launch.rawValue) }
    return options
  }

  /// Nil without a way, and for a delivery that a handler cannot state about another program.
  package init?(_ options: Options) {
    guard let delivery = options[Key.delivery]?.asString.flatMap(OpenOutcome.Delivery.init),
      delivery != .vetoed, let way = options[Key.way]?.asString.flatMap(Way.init)
    else { return nil }
    self.init(
      delivery, by: way,
      launch: options[Key.launch]?.asString.flatMap(OpenOutcome.Launch.init))
  }
}
