package import DBus
package import LaunchRules

/// Confirmation agents, and the answers that are remembered.
extension Contract {
  /// Exported by the daemon.
  package static let confirmation: InterfaceName = "org.launchservices.Confirmation1"
  /// Exported by agents.
  package static let confirmationAgent: InterfaceName = "org.launchservices.ConfirmationAgent1"

  package static let confirmationInterface = InterfaceDescription(
    confirmation, "Confirmations of opens, and the remembered answers of the user.",
    methods: [
      .init(
        "RegisterAgent",
        [.init("object_path", "o", "The object that exports ConfirmationAgent1."), .noOptions],
        returns: [],
        """
        Makes the object the agent that confirms opens, until this connection leaves the bus. The agent \
        that registered last is asked. Applications may not call this method.
        """),
      .init(
        "Approvals", [.noOptions],
        returns: [.init("approvals", "aa{sv}", "The remembered answers.", Approval.description)],
        "Returns the remembered answers of the user. Applications may not call this method."),
      .init(
        "SetApprovals",
        [
          .init("approvals", "aa{sv}", "The answers to remember.", Approval.description),
          .noOptions,
        ], returns: [],
        """
        Adds or changes remembered answers, all or none. No answer can be remembered about an open that \
        always requires a confirmation, for example of a `tel` URL: the call fails with InvalidArgs. \
        Applications may not call this method.
        """),
      .init(
        "ResetApprovals",
        [
          .init("opener", "s", "The opener of the answers; empty for any."),
          .init("scheme", "s", "The scheme of the answers; empty for any."),
          .init("handler", "s", "The handler of the answers; empty for any."), .noOptions,
        ],
        returns: [.init("count", "u", "The number of removed answers.")],
        """
        Removes the remembered answers of this opener, scheme and handler. Applications may not call \
        this method.
        """),
    ])

  /// What a confirmation agent exports.
  package static let confirmationAgentInterface = InterfaceDescription(
    confirmationAgent, "A program that asks the user exports this interface.",
    methods: [
      .init(
        "Confirm",
        [.init("question", "a{sv}", "The question.", ConfirmationQuestion.description)],
        returns: [
          .init(
            "answer", "a{sv}", "The answer of the user.",
            DictionaryDescription([
              .init(Key.allowed, "b", "True if the user allows the open."),
              .init(
                Key.remember, "b",
                """
                True if the answer counts from now on. The service ignores the key if \
                `may-be-remembered` is false.
                """),
            ]))
        ],
        "Asks the user whether a URL may be opened, and returns the answer."),
      .init(
        "Withdraw", [.init("id", "s", "The `id` of the question.")], returns: [],
        """
        Reports that the question needs no answer any more. The service does not wait for a reply.
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

  static let keys = description.keys

  package static let description = DictionaryDescription(
    "Remembered answer",
    [
      .init(
        Key.opener, "s",
        """
        The opener: a bundle identifier, `remote:` and the name of a remote, `@web` for web pages, \
        `@unidentified` for programs that are no application, or `*` for all openers without an \
        answer of their own.
        """),
      .init(Key.scheme, "s", "The scheme of the URLs."),
      .init(Key.handler, "s", "The identifier of the application that receives the URLs."),
      .init(Key.allowed, "b", "True if the open is allowed, false if it is declined."),
    ])

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
        "opener '\(text)' is neither a bundle identifier nor remote:NAME, @web, @unidentified or *")
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
  /// `web`, `remote` or `application`.
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

  package static let description = DictionaryDescription([
    .init(Key.id, "s", "The name of the question for Withdraw."),
    .init(
      Key.opener, "s",
      """
      The opener: a bundle identifier, `remote:` and the name of a remote, `@web` for a web page, or \
      `@unidentified`.
      """),
    .init(Key.scheme, "s", "The scheme of the URL."),
    .init(Key.handler, "s", "The identifier of the application that would receive the URL."),
    .init(Key.handlerName, "s", "The name of that application."),
    .init(
      Key.origin, "s",
      "`web` for a link of a web page, `remote` for an open by a remote, otherwise `application`."),
    .init(Key.url, "s", "The URL without query and fragment."),
    .init(Key.question, "s", "A sentence to show to the user."),
    .init(
      Key.mayBeRemembered, "b", "False if the user is asked each time, and no answer is remembered."
    ),
  ])

  package var dictionary: Options {
    [
      Key.id: .string(id), Key.opener: .string("\(approval.opener)"),
      Key.scheme: .string(approval.scheme.text), Key.handler: .string(approval.handler.text),
      Key.handlerName: .string(handlerName), Key.origin: .string(origin), Key.url: .string(url),
      Key.question: .string(question), Key.mayBeRemembered: .boolean(mayBeRemembered),
    ]
  }
}
