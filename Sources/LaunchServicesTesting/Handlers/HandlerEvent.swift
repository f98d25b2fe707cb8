/// An event in the program of an application.
///
/// The program waits until the test has received an event before it continues. So when an open is answered,
/// the test has received all events that precede the answer.
public enum HandlerEvent: Codable, Hashable, Sendable {
  /// A process has started.
  case started
  /// The check-in was answered.
  case checkedIn(LaunchReason)
  /// The check-in was answered with an error.
  case checkInRefused(Refusal)
  /// The process is about to report that it has finished launching.
  case finishing
  /// URLs were delivered to the running process.
  case opened([OpenedURL])
  /// A universal link was delivered to the running process.
  case continued(OpenedURL)
  /// A quick action was delivered to the running process, with the texts of its user-info.
  case performed(String, userInfo: [String: String] = [:])
  /// The application was reopened, without a URL or document.
  case reopened(activationToken: String? = nil)
  /// The facts about the start of the process; the event of the step `report`.
  case facts(StartFacts)
  /// A new daemon has accepted the check-in of the running process.
  case cameBack
  /// The process received its state: `inactive`, `active` or `background`.
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

/// A URL that the application received.
public struct OpenedURL: Codable, Hashable, Sendable {
  /// The URL.
  public var url: String
  /// The option `sourceApplication`; nil when it was not given.
  public var source: String?
  /// The option `annotation`, when it is a string; nil when it was not given.
  public var annotation: String?
  /// The option `activationToken`; only for a process that was running already.
  public var activationToken: String?
  /// The option `openInPlace` of a document; nil when it was not given.
  public var openInPlace: Bool?
  /// The contents of a document that was delivered as an open file.
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

/// The reason for the launch in the reply to a check-in.
public enum LaunchReason: Codable, Hashable, Sendable {
  /// For an application delegate; all nil without a reason.
  case launchOptions(
    OpenedURL? = nil, shortcutItem: String? = nil, hints: LaunchHints = LaunchHints())
  /// For a scene delegate.
  case connectionOptions(
    [OpenedURL] = [], source: String? = nil, shortcutItem: String? = nil,
    hints: LaunchHints = LaunchHints())
}

/// Hints about the launch of an application.
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

  /// Creates hints, to compare with the hints of a launch.
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

/// Facts about a process at its start.
public struct StartFacts: Codable, Hashable, Sendable {
  /// The arguments, without the name of the program.
  public var arguments: [String]
  /// The environment variables.
  public var environment: [String: String]
  /// The absolute path of the working directory.
  public var workingDirectory: String
  /// The numbers of the open descriptors.
  public var descriptors: [Int]
  /// The files of descriptors 0, 1 and 2, according to `/proc`.
  public var streams: [String]
  /// `SigBlk` of the process status: the blocked signals, in hexadecimal.
  public var blockedSignals: String
  /// `SigIgn` of the process status: the ignored signals, in hexadecimal.
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
