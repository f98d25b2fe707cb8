package import DBus
package import LaunchRules

/// One call about remotes: other machines and containers that open URLs here.
package enum RemoteCall: Sendable {
  case list
  case add(RemoteName)
  case remove(RemoteName)
  case choose(RemoteName, [URLScheme: RemoteRights.Choice])
  case setCallbacks(RemoteName, areForwarded: Bool)
  case setRules(RemoteName, [MachineRules.Subject], areSent: Bool)

  static func name(_ text: String) throws(BusError) -> RemoteName {
    guard let name = RemoteName(text) else {
      throw .invalidArguments(
        "'\(text)' is not the name of a remote: a letter or digit, then letters, digits, '.', '_' and '-',"
          + " at most \(RemoteName.longest) characters")
    }
    return name
  }

  static func choices(
    _ texts: [String: String]
  ) throws(BusError) -> [URLScheme: RemoteRights.Choice] {
    var choices: [URLScheme: RemoteRights.Choice] = [:]
    for (text, choice) in texts {
      let scheme = try URLScheme(argument: text)
      guard let choice = RemoteRights.Choice(rawValue: choice) else {
        throw .invalidArguments(
          "'\(choice)' is not a choice for \(scheme); the choices are allow, ask and deny")
      }
      choices[scheme] = choice
    }
    return choices
  }

  static func subject(_ text: String) throws(BusError) -> MachineRules.Subject {
    guard let subject = MachineRules.Subject(text) else {
      throw .invalidArguments("\(text.quoted) is neither a scheme nor a host; \(subjectForms)")
    }
    return subject
  }

  /// How the subject of a rule is written.
  package static let subjectForms =
    "write 'vscode' or 'com.example.app:' for a scheme, 'example.com', '*.example.com' or '//wiki' for the host of web"
    + " pages"
}

extension Contract {
  static let remoteMethods: [InterfaceDescription.Method] = [
    .init(
      "Remotes", [.noOptions],
      returns: [.init("remotes", "aa{sv}", "The remotes, by name.", remoteDescription)],
      "Returns the remotes: other machines and containers that open URLs here."),
    .init(
      "AddRemote",
      [
        .init(
          "name", "s",
          """
          The name: a letter or digit, then letters, digits, `.`, `_` and `-`, at most \
          \(RemoteName.longest) characters.
          """), .noOptions,
      ],
      returns: [.init("path", "s", "The path of the socket of the remote.")],
      """
      Makes a socket on which a remote opens URLs, also after a restart. Whoever can connect to the socket is the \
      remote. A remote may open `http`, `https` and `mailto` URLs; other schemes, and web URLs of this machine and of \
      the local network, need a confirmation by the user. Applications may not call it.
      """),
    .init(
      "RemoveRemote", [.init("name", "s", "The name."), .noOptions], returns: [],
      "Removes the socket of the remote, and closes its connections. Applications may not call it."),
    .init(
      "SetRemoteSchemes",
      [
        .init("name", "s", "The name."),
        .init(
          "choices", "a{ss}",
          """
          For each scheme `allow`, to open its URLs without a question; `ask`, to ask the user; or `deny`.
          """), .noOptions,
      ], returns: [],
      "Changes which schemes the remote may open. Applications may not call it."),
    .init(
      "SetRemoteCallbacks",
      [
        .init("name", "s", "The name."),
        .init("forwarded", "b", "Whether ports are forwarded; false for a new remote."), .noOptions,
      ], returns: [],
      """
      Changes whether a port of this machine is forwarded to the remote when the remote opens a web URL of a port of \
      localhost, or one whose `redirect_uri` is such a URL: a program there waits at that port for the end of a login. \
      The port is forwarded over a connection of `lsopen ssh`, until the browser was answered or the program there has ended, \
      at most 10 minutes. Applications may not call it.
      """),
    .init(
      "SetRemoteRules",
      [
        .init("name", "s", "The name."),
        .init(
          "subjects", "as",
          """
          Schemes, such as `vscode`, those with a `.` as `com.example.app:`; hosts of web pages, such as `example.com`, \
          those without a `.` as `//wiki`; or all hosts below one, as `*.example.com`. At most \(MachineRules.most) in all.
          """),
        .init("sent", "b", "True sends the URLs to the remote; false opens them here again."),
        .noOptions,
      ], returns: [],
      """
      Makes or ends rules that send URLs to the machine of this name, as OpenURL with the option `on` does. The rule for \
      the longest host counts, then the one for the scheme. A rule does not count for an open that names an application \
      or a device, and for one that has come from another machine. Applications may not call it.
      """),
  ]

  private static let remoteDescription = DictionaryDescription([
    .init(
      Key.name, "s", "The name. The name of the caller in the history is `remote:` and the name."),
    .init(Key.path, "s", "The path of the socket; empty while there is none."),
    .init(Key.problem, "s", "Why there is no socket; missing while there is one."),
    .init(Key.allowedSchemes, "as", "The schemes that are opened without a question."),
    .init(Key.deniedSchemes, "as", "The schemes that the user has denied the remote."),
    .init(Key.connections, "u", "The number of open connections."),
    .init(Key.forwardsCallbacks, "b", "Whether callbacks of logins are forwarded."),
    .init(Key.sent, "as", "The schemes and hosts whose URLs are sent to this machine."),
  ])

  package static func remotes() -> Message { ask(registry, "Remotes", [.options([:])]) }

  package static func addRemote(_ name: String) -> Message {
    ask(registry, "AddRemote", [.string(name), .options([:])])
  }

  package static func removeRemote(_ name: String) -> Message {
    ask(registry, "RemoveRemote", [.string(name), .options([:])])
  }

  package static func setRemoteCallbacks(_ name: String, areForwarded: Bool) -> Message {
    ask(registry, "SetRemoteCallbacks", [.string(name), .boolean(areForwarded), .options([:])])
  }

  /// - Parameter subjects: as `MachineRules.Subject` reads them.
  package static func setRemoteRules(
    _ name: String, _ subjects: [String], areSent: Bool
  ) -> Message {
    ask(
      registry, "SetRemoteRules",
      [.string(name), .strings(subjects), .boolean(areSent), .options([:])])
  }

  /// - Parameter choices: `allow`, `ask` or `deny`, by scheme.
  package static func setRemoteSchemes(_ name: String, _ choices: [String: String]) -> Message {
    ask(registry, "SetRemoteSchemes", [.string(name), .stringDictionary(choices), .options([:])])
  }
}

/// The sockets by which remotes reach the daemon, on the machine of the user and on the other side.
package enum RemoteSocket {
  /// The environment variable with the path of the socket, on the other side.
  package static let variable = RemoteShell.variable

  /// Maximum length of the path of a socket, in bytes.
  package static let longestPath = 107

  /// Maximum size of a message of a remote, in bytes.
  package static let mostMessageBytes = 128 << 10

  /// Maximum number of connections of a remote.
  package static let mostConnections = 16

  /// The folder with the sockets of all remotes.
  package static func folder(runtimeFolder: String) -> String {
    runtimeFolder + "/launch-services/remote"
  }

  /// The folder of one remote, which has only its socket: a container gets this folder, and so no socket of another
  /// remote, and still has the socket when the daemon makes it again.
  package static func folder(of name: RemoteName, in folder: String) -> String {
    folder + "/" + name.text
  }

  package static func path(of name: RemoteName, in folder: String) -> String {
    self.folder(of: name, in: folder) + "/" + fileName
  }

  package static let fileName = "socket"

  /// The path of a forwarded socket below a folder for the state of a user.
  package static let forwardedName = "launch-services/forwarded"

  /// The paths at which a socket from elsewhere is expected, best first. Not the path of the sockets for other
  /// machines, because one machine may have both.
  /// - Parameter environment: the value of a variable; nil when it is missing or empty.
  package static func forwarded(_ environment: (String) -> String?) -> [String] {
    func folder(_ name: String) -> String? {
      environment(name).flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
    let state = folder("XDG_STATE_HOME") ?? folder("HOME").map { $0 + "/.local/state" }
    var paths: [String] = []
    if let folder = folder("XDG_RUNTIME_DIR") { paths.append(folder + "/" + forwardedName) }
    if let state { paths.append(state + "/" + forwardedName) }
    return paths
  }
}
