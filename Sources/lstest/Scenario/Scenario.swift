internal import Reports
internal import StubApplications

/// The applications of a world, and what is to happen in it.
struct Scenario {
  var name: String
  /// The path for messages.
  var file: String
  /// The absolute path of the folder at which relative paths begin.
  var folder: String
  var applications: [ScenarioApplication] = []
  var sites: [ScenarioSite] = []
  /// Settings of the daemon, as in its settings file.
  var settings: [String: PropertyTree] = [:]
  var steps: [ScenarioStep] = []
}

/// The contents of a file that belongs to a scenario.
enum ScenarioContents {
  /// An absolute path.
  case file(String)
  case inline(PropertyTree)
}

/// An application of a scenario.
struct ScenarioApplication {
  /// Nil for the property list of the target of the project.
  var propertyList: ScenarioContents?
  var entitlements: ScenarioContents?
  var definitions: [String: String] = [:]
  /// Keys that a build adds to the property list, such as the team.
  var addedKeys: [String: PropertyTree] = [:]
  /// The build variables to which the scenario gives the value `null`: somebody has to give one.
  var needed: [(name: String, place: Report.Place)] = []
  /// Absolute paths.
  var configurationFile: String?
  var project: ScenarioProject?
  /// The program and its arguments, as in `ProgramArguments`; nil to find it as the daemon does.
  var program: [String]?
  /// Nil for an application whose program is not a stub.
  var behaviour: StubBehaviour?
  /// Where the scenario has it.
  var value: ScenarioValue
}

/// An Xcode project.
struct ScenarioProject {
  /// The absolute path of the `.xcodeproj`.
  var path: String
  /// Nil for the only application of the project.
  var target: String?
  /// Nil for the default configuration.
  var configuration: String?
}

/// The association file of a web site.
struct ScenarioSite {
  var domain: String
  var file: ScenarioContents
  /// Where the scenario has it.
  var value: ScenarioValue
}

/// An application as which a step acts, with the place of its name.
struct ScenarioOpener {
  var name: String
  var place: Report.Place
  var key: String
}

/// One thing that happens in the world, and its expected results.
struct ScenarioStep {
  enum Action: Hashable {
    /// Opens a URL, as the application `opener`, with the application `handler`.
    case open(String, opener: String?, handler: String?)
    /// Follows a link of a page or a document, which the application `opener` shows.
    case click(String, opener: String?)
    case openDocuments([String], handler: String?)
    case canOpen(String, opener: String?)
    case quickAction(String, application: String)
    case launch(String)
    case kill(String)
    /// Ends the daemon, or kills it, and starts another one.
    case restartDaemon(kills: Bool)
  }

  var action: Action
  var expectation = Expectation()
  /// The application as which the step acts.
  var opener: ScenarioOpener?
  /// The answer to a question about this open.
  var allows = true
  var name: String
  var place: Report.Place
}

/// The expected results of a step. Nil for a result that does not matter.
struct Expectation: Equatable {
  /// The application that gets it.
  var handler: String?
  var launch: String?
  var delivery: String?
  var isHandled: Bool?
  /// The callback that gets it; `none` for no callback.
  var callback: String?
  /// The URLs that the callback gets.
  var received: [String]?
  /// Whether the callback gets universal links.
  var isLink: Bool?
  /// What the callback is told of the opener; `none` for nothing.
  var source: String?
  /// The name of the error, such as `ApplicationNotFound`; nil for success.
  var error: String?
  /// The answer to *can open*.
  var answer: Bool?
  /// The word for why the answer to *can open* is no.
  var code: String?
  /// A part of the reason for the answer or of the text of the error.
  var reason: String?
  /// Whether the user is asked.
  var asks: Bool?
  /// A part of a line that the application prints.
  var prints: String?

  static let none = "none"
}
