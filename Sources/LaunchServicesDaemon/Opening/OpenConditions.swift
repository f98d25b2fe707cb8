internal import BusContract
internal import CallerIdentity
internal import DBus
internal import LaunchRules

/// What the decision about an open depends on besides its subject: the caller and the options of the call. Opens and
/// explanations build their questions with it, so that both ask the same.
struct OpenConditions {
  let caller: IdentifiedCaller
  /// The caller after option `as` was applied.
  let acting: ActingCaller
  /// The application that the options choose; nil when they choose none.
  var designated: BundleIdentifier?
  /// The name or the identifier of the device that the options choose; nil when they choose none.
  var device: String?
  var universalLinksOnly = false
  /// Whether the opener uses the deprecated `openURL(_:)`.
  var isLegacy = false
  /// Whether the caller states that it opens a link of a page.
  var isLink = false
  /// Whether another machine has sent the URL here.
  var isRelayed = false

  func question(
    _ subject: OpenRule.Subject, format: URLFormatFinding = .accepted()
  ) -> OpenRule.Question {
    var question = OpenRule.Question(
      subject, caller: caller.caller, acting: acting, designated: designated, device: device,
      universalLinksOnly: universalLinksOnly, isLegacy: isLegacy,
      finding: caller.facts.finding, isLink: isLink, format: format)
    question.isRelayed = isRelayed
    return question
  }
}

extension OpenConditions {
  /// The application that the options choose; nil when they choose none.
  private static func designated(
    _ application: String?, own: Bool, _ acting: ActingCaller
  ) throws(BusError) -> BundleIdentifier? {
    guard own else {
      return try application.map { name throws(BusError) in
        try BundleIdentifier(argument: name, "option 'application'")
      }
    }
    guard let identifier = acting.identifier, application == nil else {
      throw .invalidArguments(
        "option 'own-application' is for a process of a registered application, and not together"
          + " with 'application'")
    }
    return identifier
  }

  init(_ options: some HandlerOptions, _ caller: IdentifiedCaller) throws(BusError) {
    let acting = try caller.acting(as: options.actAs)
    if acting.remote != nil { try options.permitForRemote() }
    if options.device != nil,
      options.application != nil || options.ownApplication || options.universalLinksOnly
    {
      throw .invalidArguments(
        "option 'on' does not go together with 'application', 'own-application' and"
          + " 'universal-links-only'")
    }
    self.init(
      caller: caller, acting: acting,
      designated: try Self.designated(
        options.application, own: options.ownApplication, acting),
      device: options.device, universalLinksOnly: options.universalLinksOnly,
      isLegacy: options.isLegacy,
      isLink: options.isLink, isRelayed: options.isRelayed)
  }
}

/// The options that opens and explanations share. They decide which application is the handler.
protocol HandlerOptions {
  var actAs: String? { get }
  var application: String? { get }
  var device: String? { get }
  var ownApplication: Bool { get }
  var universalLinksOnly: Bool { get }
  var isLegacy: Bool { get }
  var isLink: Bool { get }
  var isRelayed: Bool { get }
  /// The options of the call, without default values.
  var dictionary: Options { get }
}

extension OpenOptions: HandlerOptions {}
extension QueryOptions: HandlerOptions {}

/// The options that a remote may use: they shape neither a process nor the choice of the application.
private let optionsOfRemotes: Set = [
  Key.actAs, Key.activate, Key.cancellationID, Key.fromLink, Key.interactive, Key.repeated,
  Key.requestID, Key.validFor, Key.anyCharacters,
  // These two are not used: another machine has its own desktop and terminals.
  Key.activationToken, Key.confirmationAgent,
]

extension HandlerOptions {
  /// - Throws: NotPermitted, when a remote may not use one of the options.
  fileprivate func permitForRemote() throws(BusError) {
    let others = dictionary.keys.filter { !optionsOfRemotes.contains($0) }.sorted()
    guard others.isEmpty else {
      throw OpenFailure.notPermitted(
        "a remote may not use \(others.map { "option '\($0)'" }.joined(separator: ", "))"
      ).busError
    }
  }
}
