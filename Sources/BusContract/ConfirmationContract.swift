package import DBus
package import LaunchRules

/// Confirmation agents, and the answers that are remembered.
extension Contract {
  /// Exported by the daemon.
  package static let confirmation: InterfaceName = "org.launchservices.Confirmation1"
  /// Exported by agents.
  package static let confirmationAgent: InterfaceName = "org.launchservices.ConfirmationAgent1"

  package static let confirmationInterface = InterfaceDescription(
    confirmation,
    methods: [
      .init(
        "RegisterAgent", [.init("object_path", "o"), .init("options", "a{sv}")], returns: [],
        """
        Makes the object the agent that confirms opens, until this connection leaves the bus. The agent \
        that registered last is asked. Applications may not call this method.
        """),
      .init(
        "Approvals", [.init("options", "a{sv}")], returns: [.init("approvals", "aa{sv}")],
        """
        Returns the remembered answers: 'opener' (a bundle identifier, '@web', '@unidentified', or '*' \
        for all openers without an answer), 'scheme', 'handler', 'allowed'. Applications may not call \
        this method.
        """),
      .init(
        "SetApprovals", [.init("approvals", "aa{sv}"), .init("options", "a{sv}")], returns: [],
        """
        Adds or changes remembered answers, all or none. An open that always requires a confirmation, \
        for example of a 'tel' URL, cannot be allowed. Applications may not call this method.
        """),
      .init(
        "ResetApprovals",
        [
          .init("opener", "s"), .init("scheme", "s"), .init("handler", "s"),
          .init("options", "a{sv}"),
        ],
        returns: [.init("count", "u")],
        """
        Removes the remembered answers of this opener, scheme and handler; an empty text matches any \
        value. Returns the number of removed answers. Applications may not call this method.
        """),
    ])

  package static func registerAgent(_ path: ObjectPath) -> Message {
    ask(confirmation, "RegisterAgent", [.objectPath(path), .options([:])])
  }

  package static func approvals() -> Message {
    ask(confirmation, "Approvals", [.options([:])])
  }

  package static func setApprovals(_ approvals: [Approval]) -> Message {
    ask(
      confirmation, "SetApprovals", [.optionsList(approvals.map(\.dictionary)), .options([:])])
  }

  package static func resetApprovals(
    opener: String = "", scheme: String = "", handler: String = ""
  ) -> Message {
    ask(
      confirmation, "ResetApprovals",
      [.string(opener), .string(scheme), .string(handler), .options([:])])
  }
}

/// One remembered answer.
package struct Approval: Hashable, Sendable {
  package var key: Approvals.Key
  package var isAllowed: Bool

  package init(_ key: Approvals.Key, isAllowed: Bool) {
    self.key = key
    self.isAllowed = isAllowed
  }

  static let keys: Set<String> = [Key.opener, Key.scheme, Key.handler, Key.allowed]

  package init(_ options: Options) throws(BusError) {
    let reader = OptionReader(options: options)
    guard let opener = try reader.string(Key.opener), let scheme = try reader.string(Key.scheme),
      let handler = try reader.string(Key.handler), let isAllowed = try reader.boolean(Key.allowed)
    else {
      throw .invalidArguments("an approval has 'opener', 'scheme', 'handler' and 'allowed'")
    }
    key = Approvals.Key(
      opener: try Self.opener(opener), scheme: try URLScheme(argument: scheme),
      handler: try Self.handler(handler))
    self.isAllowed = isAllowed
  }

  package var dictionary: Options {
    [
      Key.opener: .string("\(key.opener)"), Key.scheme: .string(key.scheme.text),
      Key.handler: .string(key.handler.text), Key.allowed: .boolean(isAllowed),
    ]
  }

  package static func opener(_ text: String) throws(BusError) -> Approvals.Opener {
    guard let opener = Approvals.Opener(text) else {
      throw .invalidArguments(
        "opener '\(text)' is neither a bundle identifier nor @web, @unidentified or *")
    }
    return opener
  }

  package static func handler(_ text: String) throws(BusError) -> BundleIdentifier {
    guard let handler = BundleIdentifier(text) else {
      throw .invalidArguments("handler '\(text)' is not a bundle identifier")
    }
    return handler
  }
}

/// The question that the daemon sends to an agent.
package struct ConfirmationQuestion: Hashable, Sendable {
  /// Identifies the question in `Withdraw`.
  package var id: String
  package var approval: Approvals.Key
  /// `web` or `application`.
  package var origin: String
  package var url: String
  package var handlerName: String
  /// A sentence for the user.
  package var question: String
  /// Whether the answer can be remembered. If false, the user confirms every such open.
  package var mayBeRemembered: Bool

  package init(
    id: String, approval: Approvals.Key, origin: String, url: String, handlerName: String,
    question: String, mayBeRemembered: Bool = true
  ) {
    self.id = id
    self.approval = approval
    self.origin = origin
    self.url = url
    self.handlerName = handlerName
    self.question = question
    self.mayBeRemembered = mayBeRemembered
  }

  package var dictionary: Options {
    [
      Key.id: .string(id), Key.opener: .string("\(approval.opener)"),
      Key.scheme: .string(approval.scheme.text), Key.handler: .string(approval.handler.text),
      Key.handlerName: .string(handlerName), Key.origin: .string(origin), Key.url: .string(url),
      Key.question: .string(question), Key.mayBeRemembered: .boolean(mayBeRemembered),
    ]
  }
}
