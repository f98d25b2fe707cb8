/// The protocol in which a running application is asked to open a URL.
///
/// The raw value is the way in receipts.
package enum HandOverProtocol: String, Hashable, Sendable, CaseIterable {
  case gtkOpen = "gtk-open"
  case gtkCommandLine = "gtk-command-line"
  case kdeCommandLine = "kde-command-line"
  case mozillaRemote = "mozilla-remote"
  case mumble
  case hexchat
  case chromiumSingleton = "chromium-singleton"
  case electronSingleton = "electron-singleton"
  case qtLocalPeer = "qt-local-peer"
  case telegram
  case libreOffice = "libreoffice"
  case tauri
  case wails

  /// One URL for a running application.
  package struct Subject: Hashable, Sendable {
    package var url: String
    /// The command line that a second process would get; nil when the `Exec` of the desktop entry has more words after
    /// the URL.
    package var commandLine: [String]?
    /// The absolute path of the folder that counts as the working directory of the command line.
    package var folder: String
    package var activationToken: String?

    package init(
      _ url: String, commandLine: [String]?, folder: String, activationToken: String? = nil
    ) {
      (self.url, self.commandLine, self.folder) = (url, commandLine, folder)
      self.activationToken = activationToken
    }

    /// The keys that GTK and KDE read.
    var platformData: [String: BusRequest.Argument] {
      guard let activationToken else { return [:] }
      return [
        "activation-token": .string(activationToken),
        "desktop-startup-id": .string(activationToken),
      ]
    }
  }

  /// Whether the running application may get the URL of an entry. Some options, and some variables that env(1) sets, choose
  /// another profile, so another process than the running one.
  /// - Parameter words: the words of `Exec` before the URL.
  package func allows(_ words: [String]) -> Bool {
    let options = Array(StartedProgramRule.withoutVariables(words).dropFirst())
    let setsVariables = StartedProgramRule.choosesInstance(words)
    return switch self {
    case .mozillaRemote: !setsVariables && MozillaRemote.allows(options)
    case .chromiumSingleton, .electronSingleton:
      !setsVariables && ChromiumSingleton.allows(options)
    case .qtLocalPeer, .libreOffice: !setsVariables && !options.contains { $0.hasPrefix("-") }
    case .telegram: !setsVariables && !options.contains { $0.hasPrefix("-") && $0 != "--" }
    case .gtkOpen, .gtkCommandLine, .kdeCommandLine, .mumble, .hexchat, .tauri, .wails: true
    }
  }

  /// What a status other than 0 says with which a second process of the application ended, which forwards the URL to the
  /// first.
  package func verdict(onSecondProcess status: Int32) -> Verdict {
    switch self {
    // The status is that of the running application.
    case .gtkOpen, .gtkCommandLine, .kdeCommandLine: .refused(why: "the status \(status)")
    case .wails where status == 1: .taken(.handedOver)
    case .mozillaRemote, .mumble, .hexchat, .chromiumSingleton, .electronSingleton, .qtLocalPeer,
      .telegram, .libreOffice, .tauri, .wails:
      .unknown
    }
  }

  /// What an answer says about the URL.
  package enum Verdict: Hashable, Sendable {
    /// Send the next request.
    case proceed
    case taken(OpenOutcome.Delivery)
    /// It is certain that the application has not taken the URL, so another way may be tried.
    case notTaken
    /// The application has not taken the URL and is ending. A program that is started after its end gets the URL.
    case ending
    /// The application has refused the URL.
    /// - Parameter why: the words of the application.
    case refused(why: String)
    /// The application may have taken the URL. No other way may be tried.
    case unknown
  }

  /// The requests on the message bus, of which each is sent after the answer to the one before; empty when the URL cannot
  /// be sent in this protocol, or not on the bus.
  /// - Parameter name: the bus name of the application.
  package func requests(for subject: Subject, to name: String) -> [BusRequest] {
    switch self {
    case .gtkOpen: GTKApplication.open(subject, at: BusRequest.path(of: name))
    case .gtkCommandLine: GTKApplication.commandLine(subject, at: BusRequest.path(of: name))
    case .kdeCommandLine: KDEService.commandLine(subject, at: BusRequest.path(of: name))
    case .mozillaRemote: MozillaRemote.requests(for: subject, to: name)
    case .mumble:
      [BusRequest("/", "net.sourceforge.mumble.Mumble", "openUrl", [.string(subject.url)])]
    case .hexchat: HexChatRemote.requests(for: subject)
    case .tauri: TauriInstance.requests(for: subject, to: name)
    case .wails: WailsInstance.requests(for: subject, to: name)
    case .chromiumSingleton, .electronSingleton, .qtLocalPeer, .telegram, .libreOffice: []
    }
  }

  /// The message to the socket of the application; nil when the URL cannot be sent in this protocol, or not to a socket.
  package func message(for subject: Subject) -> [UInt8]? {
    switch self {
    case .chromiumSingleton: ChromiumSingleton.message(for: subject)
    case .electronSingleton: ChromiumSingleton.message(for: subject, countsArguments: true)
    case .qtLocalPeer: QtLocalPeer.message(for: subject)
    case .telegram: TelegramInstance.message(for: subject)
    case .libreOffice: LibreOfficeInstance.message(for: subject)
    case .gtkOpen, .gtkCommandLine, .kdeCommandLine, .mozillaRemote, .mumble, .hexchat, .tauri,
      .wails:
      nil
    }
  }

  /// What the application writes to the socket before it reads; empty where it reads at once.
  package var greeting: [UInt8] { self == .libreOffice ? LibreOfficeInstance.greeting : [] }

  /// Whether the end of the message is the end of what is written to the socket.
  package var endsWriting: Bool { [.chromiumSingleton, .electronSingleton].contains(self) }

  /// Whether the answer, of which this is the beginning, is complete.
  package func isComplete(_ answer: [UInt8]) -> Bool {
    switch self {
    case .telegram: TelegramInstance.end(of: answer) != nil
    case .libreOffice: LibreOfficeInstance.end(of: answer) != nil
    default: true
    }
  }

  /// - Parameter answer: what the socket returned after the message; nil when the connection ended, or nothing came in
  ///   time.
  package func verdict(onMessage answer: [UInt8]?) -> Verdict {
    guard let answer else { return .unknown }
    return switch self {
    case .qtLocalPeer: QtLocalPeer.verdict(on: answer)
    case .telegram: TelegramInstance.verdict(on: answer)
    case .libreOffice: LibreOfficeInstance.verdict(on: answer)
    default: ChromiumSingleton.verdict(on: answer)
    }
  }

  /// - Parameters:
  ///   - step: the number of the request, from 0.
  package func verdict(on answer: BusAnswer, to step: Int) -> Verdict {
    switch self {
    case .gtkOpen: return GTKApplication.verdictOnOpen(answer, step)
    case .gtkCommandLine, .kdeCommandLine: return Self.verdictOnStatus(answer)
    case .mozillaRemote, .hexchat, .chromiumSingleton, .electronSingleton, .qtLocalPeer, .telegram,
      .libreOffice, .wails:
      return Self.verdict(on: answer, taken: .handedOver)
    case .tauri: return TauriInstance.verdict(on: answer, to: step)
    case .mumble: return Self.verdict(on: answer, taken: .delivered)
    }
  }

  /// The verdict on the answer of an application that the bus starts, to a call of `org.freedesktop.Application` that went
  /// to a process of the application: each error is the application's own, and only `NotSupported` says that another way
  /// is the right one. `GApplication` returns `NotSupported` when the application takes command lines instead.
  package static func verdictOnActivated(_ answer: BusAnswer) -> Verdict {
    let verdict = verdict(on: answer, taken: .delivered)
    if case .error(let name, let text) = answer, verdict == .notTaken, name != notSupported {
      return .refused(why: text)
    }
    return verdict
  }

  /// - Parameter delivery: what a reply means.
  static func verdict(on answer: BusAnswer, taken delivery: OpenOutcome.Delivery) -> Verdict {
    switch answer {
    case .values: .taken(delivery)
    case .error(let name, _) where notTaken.contains(name): .notTaken
    case .error(let name, _) where noAnswer.contains(name): .unknown
    case .error(_, let text): .refused(why: text)
    case .none: .unknown
    }
  }

  /// The verdict on a reply with an exit status.
  static func verdictOnStatus(_ answer: BusAnswer) -> Verdict {
    if case .values(let status?) = answer, status != 0 {
      return .refused(why: "its answer is the status \(status)")
    }
    return verdict(on: answer, taken: .handedOver)
  }

  static let notSupported = "org.freedesktop.DBus.Error.NotSupported"
  /// The errors that prove that the application has not taken the URL.
  private static let notTaken: Set<String> = [
    notSupported, "org.freedesktop.DBus.Error.ServiceUnknown",
    "org.freedesktop.DBus.Error.NameHasNoOwner", "org.freedesktop.DBus.Error.UnknownMethod",
    "org.freedesktop.DBus.Error.UnknownObject", "org.freedesktop.DBus.Error.UnknownInterface",
  ]
  /// The errors that the bus or the library sends in the place of an answer.
  private static let noAnswer: Set<String> = [
    "org.freedesktop.DBus.Error.NoReply", "org.freedesktop.DBus.Error.Timeout",
    "org.freedesktop.DBus.Error.TimedOut", "org.freedesktop.DBus.Error.Disconnected",
  ]
}
