internal import BusContract
internal import Commands
internal import DBus
internal import Glibc
internal import LaunchRules

/// `lsregister remote`: other machines and containers that open URLs here.
extension RegisterCommand {
  func remote(_ invocation: RemoteInvocation, json: Bool) throws(CommandFailure) {
    switch invocation.action {
    case .list: try listRemotes(json: json)
    case .add(let name, let schemes):
      let path = try call(Contract.addRemote(name.text)).first?.asString ?? ""
      try choose(.allow, name, schemes)
      output.print(
        json
          ? [JSON.text([Key.name: .string(name.text), Key.path: .string(path)])]
          : Self.advice(name, path))
    case .remove(let name):
      _ = try call(Contract.removeRemote(name.text))
      complainOfRest(of: name)
      if json { output.print(JSON.text([:])) }
    case .setCallbacks(let name, let areForwarded):
      _ = try call(Contract.setRemoteCallbacks(name.text, areForwarded: areForwarded))
      if json { output.print(JSON.text([:])) }
    case .setRules(let name, let subjects, let areSent):
      if areSent { try complainOfMoved(subjects, to: name) }
      _ = try call(
        Contract.setRemoteRules(name.text, subjects.map(\.description), areSent: areSent))
      if json { output.print(JSON.text([:])) }
    case .choose(let choice, let name, let schemes):
      try choose(choice, name, schemes)
      if json { output.print(JSON.text([:])) }
    }
  }

  /// The folder of the socket remains when another program, such as one in a container, has put files there.
  private func complainOfRest(of name: RemoteName) {
    guard let runtime = environment("XDG_RUNTIME_DIR"), runtime.hasPrefix("/") else { return }
    let folder = RemoteSocket.folder(
      of: name, in: RemoteSocket.folder(runtimeFolder: runtime))
    guard unsafe access(folder, F_OK) == 0 else { return }
    output.complain(
      "the remote is removed; its folder has files that are not launchservicesd's, and remains: \(folder)"
    )
  }

  /// Says which rules now name another machine than before.
  private func complainOfMoved(
    _ subjects: [MachineRules.Subject], to name: RemoteName
  ) throws(CommandFailure) {
    for remote in try call(Contract.remotes()).first?.asOptionsList ?? [] {
      guard let other = remote[Key.name]?.asString, other != name.text else { continue }
      let sent = remote[Key.sent]?.asStrings ?? []
      for subject in subjects.map(\.description) where sent.contains(subject) {
        output.complain("\(subject) was sent to \(other) before, and is now sent to \(name.text)")
      }
    }
  }

  private func choose(
    _ choice: RemoteRights.Choice, _ name: RemoteName, _ schemes: [URLScheme]
  ) throws(CommandFailure) {
    guard !schemes.isEmpty else { return }
    let choices = schemes.map { ($0.text, choice.rawValue) }
    _ = try call(
      Contract.setRemoteSchemes(name.text, Dictionary(choices, uniquingKeysWith: { $1 })))
  }

  /// How the socket comes to the other side, as lines for configuration files and command lines.
  static func advice(_ name: RemoteName, _ path: String) -> [String] {
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? path
    let mounted = "/run/launch-services"
    return [
      "# 'lsopen ssh \(name.text)' connects with all that follows. For plain ssh:",
      "# In ~/.ssh/config, under 'Host \(name.text)'. The folder has to exist on that host, and the file must not:",
      "# ssh \(name.text) 'cd && mkdir -p -m 700 .local/state/launch-services &&"
        + " rm -f .local/state/launch-services/forwarded'",
      "# /home/%r has to be the home folder there, which 'ssh \(name.text) pwd' prints:",
      "RemoteForward /home/%r/.local/state/\(RemoteSocket.forwardedName) \(path)",
      "# For a container, as options of docker or podman:",
      "--volume \(folder):\(mounted) --env \(RemoteSocket.variable)=\(mounted)/\(RemoteSocket.fileName)",
    ]
  }

  private func listRemotes(json: Bool) throws(CommandFailure) {
    let remotes = try call(Contract.remotes()).first?.asOptionsList ?? []
    if json { return output.print(JSON.text(.optionsList(remotes))) }
    output.print(
      Columns.lines(
        remotes.map { remote in
          func texts(_ key: String) -> String {
            let names = remote[key]?.asStrings ?? []
            return names.isEmpty ? "-" : names.joined(separator: ",")
          }
          return [
            remote[Key.name]?.asString ?? "", "allow=" + texts(Key.allowedSchemes),
            "deny=" + texts(Key.deniedSchemes), "sent=" + texts(Key.sent),
            "callbacks=" + (remote[Key.forwardsCallbacks]?.asBoolean == true ? "yes" : "no"),
            "connections=\(remote[Key.connections]?.asUInt32 ?? 0)",
            remote[Key.problem]?.asString.map { "problem: \($0)" } ?? remote[Key.path]?.asString
              ?? "",
          ]
        }))
  }
}
