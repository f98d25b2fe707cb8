internal import BusContract
internal import DBus
internal import LaunchRules
internal import Records

/// How an open looks to its handler, at launch and afterwards.
enum Delivery {
  /// The call that hands it over.
  static func message(
    _ open: PendingOpen, activationToken: String?, to connection: BusName, path: ObjectPath
  ) -> Message {
    var options = urlOptions(open)
    if let activationToken { options[Key.activationToken] = .string(activationToken) }
    return switch open.payload {
    case .url(let url):
      .call(
        to: connection, path: path, interface: Contract.application, member: Contract.openURLs,
        [.array(of: .urlContext, [.structure([.string(url), .options(options)])])])
    case .quickAction(let action):
      .call(
        to: connection, path: path, interface: Contract.application, member: "PerformQuickAction",
        [.string(action.type), .options(action.details.merging(options) { $1 })])
    }
  }

  /// The call that hands it to an application of the freedesktop world, whose answer is empty.
  static func message(
    _ open: PendingOpen, activationToken: String?, to connection: BusName,
    of application: FreedesktopApplication
  ) -> Message {
    switch open.payload {
    case .url(let url):
      application.open([url], activationToken: activationToken, at: connection)
    case .quickAction(let action):
      application.activateAction(action.type, activationToken: activationToken, at: connection)
    }
  }

  /// What came back for it.
  static func answer(
    _ answer: Result<[Value], BusError>, seconds: Int
  ) -> HandlerLifecycle.Answer {
    switch answer {
    case .success(let values):
      switch values.first {
      case .boolean(let handled): .handled(handled)
      case let list?:
        if let handled = list.asBooleans?.first {
          .handled(handled)
        } else {
          .refused("it did not answer whether the URL was handled")
        }
      case nil: .refused("it did not answer whether the URL was handled")
      }
    case .failure(let error) where error.name == BusError.timedOut.name: .timedOut(seconds: seconds)
    case .failure(let error): .failed(error.description)
    }
  }

  /// The answer to a check-in: what the application was launched for (R5.6, R5.13, R5.16).
  /// - Parameter launchImage: the absolute path of its file.
  static func checkInAnswer(
    _ open: PendingOpen?, style: DeliveryStyle, launchImage: String?
  ) -> Options {
    guard let open else { return [style.answerKey: .options([:])] }
    var options =
      switch style {
      case .delegate: launchOptions(open)
      case .scene: connectionOptions(open)
      }
    if let launchImage { options[Key.launchImage] = .string(launchImage) }
    if open.options.hidden { options[Key.hidden] = .boolean(true) }
    if open.options.fresh { options[Key.fresh] = .boolean(true) }
    return [style.answerKey: .options(options)]
  }

  private static func launchOptions(_ open: PendingOpen) -> Options {
    switch open.payload {
    case .url(let url): urlOptions(open).merging([Key.url: .string(url)]) { $1 }
    case .quickAction(let action): launchOptions(action)
    }
  }

  private static func launchOptions(_ action: QuickAction) -> Options {
    [Key.shortcutItem: .string(action.type), Key.shortcutItemDetails: .options(action.details)]
  }

  private static func connectionOptions(_ open: PendingOpen) -> Options {
    switch open.payload {
    case .url(let url):
      var options: Options = [
        Key.urlContexts: .array(
          of: .urlContext, [.structure([.string(url), .options(urlOptions(open))])])
      ]
      if let source = open.source { options[Key.sourceApplication] = .string(source.text) }
      return options
    case .quickAction(let action): return launchOptions(action)
    }
  }

  private static func urlOptions(_ open: PendingOpen) -> Options {
    var options: Options = [:]
    if let source = open.source { options[Key.sourceApplication] = .string(source.text) }
    if let annotation = open.options.annotation { options[Key.annotation] = annotation }
    if open.entry.clientID != nil { options[Key.request] = .uint64(open.entry.number) }
    if open.isRepeated { options[Key.repeated] = .boolean(true) }
    if open.hops > 1 { options[Key.hops] = .uint32(UInt32(open.hops)) }
    return options
  }
}

extension DeliveryStyle {
  /// Under which a check-in is told why the application was launched.
  fileprivate var answerKey: String {
    switch self {
    case .delegate: Key.launchOptions
    case .scene: Key.connectionOptions
    }
  }
}
