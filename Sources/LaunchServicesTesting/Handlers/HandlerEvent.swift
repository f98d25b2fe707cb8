/// What the program of an application saw or is about to do.
///
/// The program waits until an event has been heard before it goes on, so that when an open has
/// been answered, all that led to it has been heard.
public enum HandlerEvent: Codable, Hashable, Sendable {
  /// A process has started.
  case started
  /// The check-in was answered.
  case checkedIn(LaunchReason)
  /// The check-in was answered with an error.
  case checkInRefused(Refusal)
  /// It now says that it has finished launching.
  case finishing
  /// URLs were delivered to the running process.
  case opened([OpenedURL])
  /// A universal link was delivered to the running process.
  case continued(OpenedURL)
  /// A quick action was delivered to the running process, with the texts of its user-info.
  case performed(String, userInfo: [String: String] = [:])
  /// It was opened once more, without anything to open.
  case reopened(activationToken: String? = nil)
  /// What the process found when it started; the answer to the step `report`.
  case facts(StartFacts)
  /// Another daemon has taken it back.
  case cameBack
  /// It was told its state: `inactive`, `active` or `background`.
  case became(String)

  /// A universal link was delivered to the running process.
  public static func continued(_ url: String, source: String? = nil) -> HandlerEvent {
    .continued(OpenedURL(url, source: source))
  }

  /// One URL was delivered to the running process.
  public static func opened(
    _ url: String, source: String? = nil, annotation: String? = nil, activationToken: String? = nil
  ) -> HandlerEvent {
    .opened([
      OpenedURL(url, source: source, annotation: annotation, activationToken: activationToken)
    ])
  }
}

/// A URL as it reached the application.
public struct OpenedURL: Codable, Hashable, Sendable {
  /// The URL.
  public var url: String
  /// The option `sourceApplication`; nil when it was not given.
  public var source: String?
  /// The option `annotation`, when it is a string; nil when it was not given.
  public var annotation: String?
  /// The option `activationToken`; only for a process that ran already.
  public var activationToken: String?
  /// The option `openInPlace` of a document; nil when it was not given.
  public var openInPlace: Bool?
  /// What a document holds that came as an open file.
  public var contents: String?

  /// Creates a URL, to compare with the one that the application received.
  public init(
    _ url: String, source: String? = nil, annotation: String? = nil, activationToken: String? = nil,
    openInPlace: Bool? = nil, contents: String? = nil
  ) {
    self.openInPlace = openInPlace
    self.contents = contents
    self.activationToken = activationToken
    self.url = url
    self.source = source
    self.annotation = annotation
  }
}

/// What the answer to a check-in says: why the application was launched.
public enum LaunchReason: Codable, Hashable, Sendable {
  /// For an application delegate; nil and nil when there was no reason.
  case launchOptions(
    OpenedURL? = nil, shortcutItem: String? = nil, hints: LaunchHints = LaunchHints())
  /// For a scene delegate.
  case connectionOptions(
    [OpenedURL] = [], source: String? = nil, shortcutItem: String? = nil,
    hints: LaunchHints = LaunchHints())
}

/// How an application is asked to launch.
public struct LaunchHints: Codable, Hashable, Sendable {
  /// Whether the application should start without showing a window.
  public var hidden: Bool
  /// Whether the application should start without restoring its last state.
  public var fresh: Bool
  /// The absolute path of the launch image.
  public var launchImage: String?
  /// The texts of the user-info of the quick action.
  public var userInfo: [String: String]
  /// The URL of a universal link.
  public var webpage: String?

  /// Creates hints, to compare with the ones of a launch.
  public init(
    hidden: Bool = false, fresh: Bool = false, launchImage: String? = nil,
    userInfo: [String: String] = [:], webpage: String? = nil
  ) {
    self.webpage = webpage
    self.hidden = hidden
    self.fresh = fresh
    self.launchImage = launchImage
    self.userInfo = userInfo
  }
}

/// What a process found when it started.
public struct StartFacts: Codable, Hashable, Sendable {
  /// The arguments, without the name of the program.
  public var arguments: [String]
  /// The environment variables.
  public var environment: [String: String]
  /// The absolute path of the working directory.
  public var workingDirectory: String
  /// Numbers of its open descriptors.
  public var descriptors: [Int]
  /// What its descriptors 0, 1 and 2 are open on, as `/proc` says.
  public var streams: [String]
  /// `SigBlk` of its status: the signals it does not get, in hexadecimal.
  public var blockedSignals: String
  /// `SigIgn` of its status.
  public var ignoredSignals: String
  /// The number of the process group.
  public var processGroup: Int32

  package init(
    arguments: [String], environment: [String: String], workingDirectory: String,
    descriptors: [Int], streams: [String], blockedSignals: String, ignoredSignals: String,
    processGroup: Int32
  ) {
    self.arguments = arguments
    self.environment = environment
    self.workingDirectory = workingDirectory
    self.descriptors = descriptors
    self.streams = streams
    self.blockedSignals = blockedSignals
    self.ignoredSignals = ignoredSignals
    self.processGroup = processGroup
  }
}
