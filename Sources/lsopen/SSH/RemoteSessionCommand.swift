internal import BusContract
internal import Commands
internal import DBus
internal import Glibc
internal import LaunchRules

/// The command line `lsopen ssh [--name NAME] [OPTION of ssh]... HOST [COMMAND...]`.
struct RemoteSessionCommand {
  /// The first argument of such a command line.
  static let word = "ssh"

  let output: Output
  /// The daemon of this machine.
  let service: Service
  let environment: (String) -> String?

  /// - Parameter arguments: after `ssh`.
  /// - Returns: the exit status.
  func run(_ arguments: [String]) -> Int32 {
    var words = arguments[...]
    var chosen: RemoteName?
    while let word = words.first, word.hasPrefix("--"), word != "--" {
      words = words.dropFirst()
      let value =
        word.hasPrefix("--name=")
        ? word.dropFirst("--name=".count) : word == "--name" ? words.popFirst()?[...] : nil
      if word == "--help" {
        Self.help.print(to: output)
        return ExitCode.success.rawValue
      }
      guard word.hasPrefix("--name") else { return usage("unknown option '\(word)'") }
      guard let value, let name = RemoteName(String(value)) else {
        return usage(
          "option '--name' needs a letter or digit, then letters, digits, '.', '_' and '-', at most"
            + " \(RemoteName.longest) characters")
      }
      chosen = name
    }
    do throws(SSHInvocation.Problem) {
      let invocation = try SSHInvocation(Array(words))
      guard let name = chosen ?? RemoteName(ofHost: invocation.host, port: invocation.port)
      else {
        return usage(
          "'\(invocation.host)' gives no name for a remote, which has at most \(RemoteName.longest) characters; choose one with --name"
        )
      }
      ChildProgram.outliveEndings()
      return session.run(invocation, name: name.text)
    } catch {
      return usage(error.sentence)
    }
  }

  private func usage(_ reason: String) -> Int32 {
    output.complain("\(reason); try 'lsopen ssh --help'")
    return ExitCode.usage.rawValue
  }

  private var session: RemoteSession {
    RemoteSession(
      output: output,
      isRemote: { name throws(CommandFailure) in
        let remotes = try call(Contract.remotes()).first?.asOptionsList ?? []
        return remotes.contains { $0[Key.name]?.asString == name }
      },
      register: { name throws(CommandFailure) in
        try call(Contract.addRemote(name)).first?.asString ?? ""
      },
      forget: { name throws(CommandFailure) in _ = try call(Contract.removeRemote(name)) },
      origin: SessionOrigin.ofRemote,
      ssh: { program throws(CommandFailure) in try program.run() },
      controlFolder: { () throws(CommandFailure) in try ControlFolder(environment).made() },
      newToken: {
        var random = SystemRandomNumberGenerator()
        let digits = String(random.next() as UInt64, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
      })
  }

  private func call(_ message: borrowing Message) throws(CommandFailure) -> [Value] {
    do throws(ServiceFailure) {
      return try service.call(message, Service.patience)
    } catch {
      throw CommandFailure(error)
    }
  }

  static var help: HelpText {
    var help = HelpText(
      usage: ["lsopen ssh [--name NAME] [OPTION of ssh]... HOST [COMMAND...]"],
      purpose: [
        "",
        "Runs ssh, with a socket on HOST by which lsopen and xdg-open there open URLs here. HOST becomes a",
        "remote of launchservicesd if it is none yet: HOST may open http, https and mailto URLs, and you are",
        "asked about other URLs; 'lsregister remote list' shows the remotes, and 'lsregister remote remove'",
        "ends the right. Programs on HOST find the socket in the variable LAUNCH_SERVICES_REMOTE, and lsopen",
        "in BROWSER. The exit status is that of ssh.",
      ])
    help.section(
      "Options",
      [
        "--name NAME", "the name of the remote (default: HOST without the user name, and a port)",
        "OPTION of ssh", "except -f -G -M -N -O -Q -S -s -V -W; ssh(1) explains them",
      ])
    return help
  }
}

extension RemoteName {
  /// The name of a remote for a host, in which characters that a name cannot have are `-`. Another port than that of ssh is a
  /// part of the name: there may be another machine. Nil for a host without a letter and digit, and when the name would be
  /// too long; a shortened name could be that of another machine.
  init?(ofHost host: String, port: String? = nil) {
    let suffix = port.flatMap { $0 == "22" ? nil : "-" + $0 } ?? ""
    let allowed = (host + suffix).map {
      $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) ? $0 : "-"
    }
    func isFirst(_ character: Character) -> Bool { character.isLetter || character.isNumber }
    guard let first = allowed.firstIndex(where: isFirst),
      let last = allowed.lastIndex(where: isFirst)
    else { return nil }
    self.init(String(allowed[first...last]))
  }
}

/// The folder for the control sockets of ssh, which only this user may enter.
struct ControlFolder {
  private let runtime: String?

  init(_ environment: (String) -> String?) {
    runtime = environment("XDG_RUNTIME_DIR").flatMap { $0.hasPrefix("/") ? $0 : nil }
  }

  func made() throws(CommandFailure) -> String {
    guard let runtime else {
      throw CommandFailure(
        .failed,
        "XDG_RUNTIME_DIR is not set, where the control socket of ssh belongs; log in to a session")
    }
    let whole = "\(runtime)/\(SSHControlSocket.folder)"
    for folder in [whole.lastIndex(of: "/").map { String(whole[..<$0]) } ?? whole, whole] {
      guard unsafe mkdir(folder, 0o700) == 0 || errno == EEXIST else {
        let reason = unsafe String(cString: strerror(errno))
        throw CommandFailure(.failed, "the folder \(folder) cannot be made: \(reason)")
      }
      var status = stat()
      guard unsafe lstat(folder, &status) == 0, status.st_uid == geteuid(),
        status.st_mode & (S_IFMT | 0o077) == S_IFDIR
      else {
        throw CommandFailure(
          .failed,
          "the folder \(folder) is not a folder that only you may enter; remove it, or make it yours with mode 700"
        )
      }
    }
    return whole
  }
}
