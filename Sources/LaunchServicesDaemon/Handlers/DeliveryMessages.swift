internal import BusContract
internal import DBus
internal import LaunchRules
internal import ProcessSupervision
internal import Records

/// The messages that carry an open to its handler, at launch and afterwards.
enum Delivery {
  /// The call of a handler method that carries the open.
  /// - Parameter files: the documents, open for reading; empty unless they are passed as descriptors.
  static func message(
    _ open: PendingOpen, _ files: [OwnedDescriptor] = [], activationToken: String?,
    to connection: BusName, path: ObjectPath
  ) -> Message {
    var options = urlOptions(open)
    if let activationToken { options[Key.activationToken] = .string(activationToken) }
    return switch open.payload {
    case .url, .documents:
      .call(
        to: connection, path: path, interface: Contract.application, member: Contract.openURLs,
        [urls(open, options, files)])
    case .userActivity(let webpage):
      .call(
        to: connection, path: path, interface: Contract.application,
        member: Contract.continueUserActivity,
        [
          .string(Contract.browsingWeb),
          .options(options.merging([Key.webpageURL: .string(webpage)]) { $1 }),
        ])
    case .quickAction(let action):
      .call(
        to: connection, path: path, interface: Contract.application,
        member: Contract.performQuickAction,
        [.string(action.type), .options(action.details.merging(options) { $1 })])
    case .application:
      .call(
        to: connection, path: path, interface: Contract.application, member: Contract.reopen,
        [.options(options)])
    }
  }

  /// The call of a method of `org.freedesktop.Application` that carries the open. Its reply is empty.
  static func message(
    _ open: PendingOpen, activationToken: String?, to connection: BusName,
    of application: FreedesktopApplication
  ) -> Message {
    switch open.payload {
    case .url, .documents, .userActivity:
      application.open(open.payload.urls, activationToken: activationToken, at: connection)
    case .quickAction(let action):
      application.activateAction(action.type, activationToken: activationToken, at: connection)
    case .application: application.activate(activationToken: activationToken, at: connection)
    }
  }

  /// The answer of the handler, from the reply to the call.
  /// - Parameters:
  ///   - count: how many URLs the call carried; 1 for calls without URLs.
  ///   - seconds: the time after which the call has timed out.
  static func answer(
    _ answer: Result<[Value], BusError>, to kind: OpenRequest.Kind, count: Int, seconds: Int
  ) -> HandlerLifecycle.Answer {
    switch answer {
    // An application without the method has still been brought to the front.
    case .success(let values) where kind == .application:
      Self.answer(true, values.dropFirst().first?.asOptions)
    case .failure(let error) where kind == .application && error.name == .unknownMethod:
      .handled(true)
    case .success(let values):
      isHandled(values, to: kind, count: count).map {
        Self.answer($0, values.dropFirst().first?.asOptions)
      } ?? .refused(wrongAnswer(values, to: kind, count: count))
    case .failure(.replyTooLarge): .refused(tooLargeAnswer(member(for: kind)))
    case .failure(let error) where error.name == BusError.timedOut.name: .timedOut(seconds: seconds)
    case .failure(let error) where isMissing.contains(error.name):
      .refused(
        "its program has no method \(member(for: kind)) of \(Contract.application) at the object path"
          + " of its check-in (\(text(of: error)))")
    case .failure(let error) where error.name == Contract.deliveryUnknown: .unknown(error.text)
    case .failure(let error):
      // The name for all other failures tells nothing.
      .failed(error.name == .failed ? text(of: error) : "\(error.name): \(text(of: error))")
    }
  }

  /// Whether each URL was handled; nil when the reply has other types than those of the method.
  private static func isHandled(
    _ values: [Value], to kind: OpenRequest.Kind, count: Int
  ) -> Bool? {
    guard kind == .url else {
      return values.count == 1 ? values.first?.asBoolean : nil
    }
    guard let handled = values.first?.asBooleans, handled.count == count,
      values.count == 1 || values.count == 2 && values.last?.asOptions != nil
    else { return nil }
    return handled.allSatisfy(\.self)
  }

  /// - Parameter more: the second value of the reply, with which a handler says that it only passed the URLs on.
  private static func answer(_ isHandled: Bool, _ more: Options?) -> HandlerLifecycle.Answer {
    guard isHandled, let handOver = more.flatMap({ HandOver($0) }) else {
      return .handled(isHandled)
    }
    return .passedOn(handOver)
  }

  private static let isMissing: Set<ErrorName> = [
    .unknownMethod, .unknownInterface, .unknownObject,
  ]

  /// The method of `org.launchservices.Application1` for a kind of request.
  private static func member(for kind: OpenRequest.Kind) -> MemberName {
    switch kind {
    case .url: Contract.openURLs
    case .userActivity: Contract.continueUserActivity
    case .quickAction: Contract.performQuickAction
    case .application: Contract.reopen
    }
  }

  private static func wrongAnswer(
    _ values: [Value], to kind: OpenRequest.Kind, count: Int
  ) -> String {
    let answer =
      switch values.first?.asBooleans?.count {
      case let booleans? where values.count == 1 && kind == .url:
        "\(booleans) boolean\(booleans == 1 ? "" : "s") for \(count) URL\(count == 1 ? "" : "s")"
      case _ where values.isEmpty: "nothing"
      case _: "type " + values.map(\.type).joined()
      }
    let wanted = kind == .url ? "ab, one boolean for each URL" : "b"
    return "its program answered \(member(for: kind)) with \(answer), not with \(wanted):"
      + " whether it was handled"
  }

  private static func tooLargeAnswer(_ member: MemberName) -> String {
    "its program answered \(member) with more than \(CallLimits.mostReplyBytes >> 10) KiB, which was not read"
  }

  /// The text of an error without the names that the D-Bus library of the handler puts before it. Of a Python traceback
  /// from dbus-python, the last line counts, which names the exception.
  private static func text(of error: BusError) -> String {
    var text = error.text[...]
    if text.hasPrefix("Traceback"), let last = text.split(separator: "\n").last { text = last }
    while let end = text.firstRange(of: ": "), isErrorName(text[..<end.lowerBound], error) {
      text = text[end.upperBound...]
    }
    while text.last?.isNewline == true { text.removeLast() }
    return String(text)
  }

  /// Whether the text is the name of the error, or of a class such as `dbus.exceptions.DBusException`.
  private static func isErrorName(_ text: Substring, _ error: BusError) -> Bool {
    text == error.name.text
      || text.contains(".") && (text.hasSuffix("Exception") || text.hasSuffix("Error"))
        && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "." || $0 == "_") }
  }

  /// The reply to a check-in: what the application was launched for (R5.6, R5.13, R5.16).
  /// - Parameter launchImage: absolute path of the launch image.
  static func checkInAnswer(
    _ open: PendingOpen?, _ files: [OwnedDescriptor] = [], style: DeliveryStyle,
    launchImage: String?
  ) -> Options {
    guard let open else { return [style.answerKey: .options([:])] }
    var options =
      switch style {
      case .delegate: launchOptions(open)
      case .scene: connectionOptions(open, files)
      }
    if let launchImage { options[Key.launchImage] = .string(launchImage) }
    if open.options.hidden { options[Key.hidden] = .boolean(true) }
    if open.options.fresh { options[Key.fresh] = .boolean(true) }
    return [style.answerKey: .options(options)]
  }

  private static func launchOptions(_ open: PendingOpen) -> Options {
    switch open.payload {
    case .url(let url): return urlOptions(open).merging([Key.url: .string(url)]) { $1 }
    case .documents(let list):
      let texts = list.urls.map(\.text)
      return urlOptions(open).merging([
        Key.url: .string(texts.first ?? ""), Key.documents: .strings(texts),
      ]) { $1 }
    case .userActivity(let webpage):
      return urlOptions(open).merging([
        Key.userActivityType: .string(Contract.browsingWeb), Key.webpageURL: .string(webpage),
      ]) { $1 }
    case .quickAction(let action): return launchOptions(action)
    case .application: return urlOptions(open)
    }
  }

  private static func launchOptions(_ action: QuickAction) -> Options {
    [Key.shortcutItem: .string(action.type), Key.shortcutItemDetails: .options(action.details)]
  }

  private static func connectionOptions(
    _ open: PendingOpen, _ files: [OwnedDescriptor]
  ) -> Options {
    func connecting(_ key: String, _ contexts: Value) -> Options {
      var options: Options = [key: contexts]
      if let source = open.source { options[Key.sourceApplication] = .string(source.text) }
      return options
    }
    switch open.payload {
    case .url, .documents: return connecting(Key.urlContexts, urls(open, urlOptions(open), files))
    case .userActivity(let webpage):
      let details = urlOptions(open).merging([Key.webpageURL: .string(webpage)]) { $1 }
      return connecting(
        Key.userActivities,
        .array(
          of: .urlContext, [.structure([.string(Contract.browsingWeb), .options(details)])]))
    case .quickAction(let action):
      return launchOptions(action).merging(requestOptions(open)) { $1 }
    case .application: return [:]
    }
  }

  /// A value of type `a(sa{sv})`.
  private static func urls(
    _ open: PendingOpen, _ options: Options, _ files: [OwnedDescriptor]
  ) -> Value {
    let texts = open.payload.urls
    return .array(
      of: .urlContext,
      texts.indices.map { place in
        var options = options
        if place < files.count { options[Key.descriptor] = .descriptor(files[place]) }
        return .structure([.string(texts[place]), .options(options)])
      })
  }

  private static func requestOptions(_ open: PendingOpen) -> Options {
    var options: Options = [:]
    if open.entry.name != nil { options[Key.request] = .uint64(open.entry.number) }
    if open.isRepeated { options[Key.repeated] = .boolean(true) }
    return options
  }

  private static func urlOptions(_ open: PendingOpen) -> Options {
    var options: Options = [:]
    if let source = open.source { options[Key.sourceApplication] = .string(source.text) }
    if let annotation = open.options.annotation { options[Key.annotation] = annotation }
    options.merge(requestOptions(open)) { $1 }
    if case .documents(let list) = open.payload {
      options[Key.openInPlace] = .boolean(list.areUsedInPlace)
    }
    if let hops = open.passage.hops, hops.all > 1 { options[Key.hops] = .string(hops.text) }
    let variables = open.variablesToPassOn
    if !variables.isEmpty { options[Key.environment] = .stringDictionary(variables) }
    return options
  }
}

extension PendingOpen {
  /// The environment that the opener has chosen, for the process that the desktop bridge starts. The process of the
  /// bridge itself serves several openers.
  fileprivate var variablesToPassOn: [String: String] {
    guard receiver.application?.isStartedByBridge == true else { return [:] }
    return display.merging(options.environment.filter { HandlerEnvironment.mayBeSet($0.key) }) {
      $1
    }
  }
}

extension DeliveryStyle {
  /// The key of the launch reason in the reply to a check-in.
  fileprivate var answerKey: String {
    switch self {
    case .delegate: Key.launchOptions
    case .scene: Key.connectionOptions
    }
  }
}
