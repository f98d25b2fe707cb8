// The keys of a scenario file.

enum RootKey: String, ScenarioKey {
  case name, applications, sites, settings, steps, define
}

enum ApplicationKey: String, ScenarioKey {
  case plist, entitlements, define, xcconfig, xcode, target, configuration, team, sdk, platform,
    program, behaviour
}

/// The first seven are the actions; a step has one of them.
enum StepKey: String, ScenarioKey {
  case open, click
  case openDocuments = "open-documents"
  case canOpen = "can-open"
  case
    quickAction = "quick-action"
  case launch, kill
  case restartDaemon = "restart-daemon"
  case actAs = "as"
  case handler = "with"
  case application = "of"
  case answer, expect, name

  static let actions: [StepKey] = [
    .open, .click, .openDocuments, .canOpen, .quickAction, .launch, .kill, .restartDaemon,
  ]

  /// The keys that belong to an action besides itself, `name` and `expect`.
  var companions: [StepKey] {
    switch self {
    case .open: [.actAs, .handler, .answer]
    case .click: [.actAs, .answer]
    case .openDocuments: [.handler]
    case .canOpen: [.actAs]
    case .quickAction: [.application]
    default: []
    }
  }
}

enum ExpectKey: String, ScenarioKey {
  case handler, launch, delivery, handled, callback, receives, link, source, error, answer, reason,
    code, asks, prints
}

enum LaunchWord: String, CaseIterable { case cold, warm }

enum DeliveryWord: String, CaseIterable {
  case delivered
  case handedOver = "handed-over"
  case vetoed, unacknowledged
  case withoutURL = "without-url"
}

enum AnswerWord: String, CaseIterable { case allow, deny }

enum RestartWord: String, CaseIterable { case kill }

enum PlatformWord: String, CaseIterable {
  case ios, macos

  /// The name of the platform in build variables.
  var variable: String { self == .ios ? "iphoneos" : "macosx" }
}
