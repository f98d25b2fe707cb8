import Foundation
import Host
import LaunchServicesTesting
import Testing

/// A far machine for one test: Debian's sshd with a configuration and keys of its own, in a mount, process and host name
/// namespace, for a user whom only that machine knows. `lsopen` and its name `xdg-open` are all that it has of ours.
@MainActor struct FarMachine {
  /// Why there can be no far machine; nil when there can.
  nonisolated static let problem = FarMachine.findProblem()

  nonisolated private static func findProblem() -> String? {
    guard getuid() == 0 else {
      return "needs root, to make another user and to run sshd for that user"
    }
    let missing = [
      ("/usr/sbin/sshd", "openssh-server"), ("/usr/bin/ssh", "openssh-client"),
      ("/usr/sbin/ip", "iproute2"), ("/usr/bin/python3", "python3"),
    ].filter { !FileManager.default.isExecutableFile(atPath: $0.0) }.map(\.1)
    guard missing.isEmpty else { return "needs the packages \(missing.joined(separator: " "))" }
    let trial = Process()
    trial.executableURL = URL(filePath: "/usr/bin/unshare")
    trial.arguments = [
      "--mount", "--pid", "--fork", "--mount-proc", "--uts", "mount", "-t", "tmpfs", "none", "/mnt",
    ]
    trial.standardError = FileHandle.nullDevice
    try? trial.run()
    trial.waitUntilExit()
    return trial.terminationStatus == 0 ? nil : "this machine gives no mount and process namespaces"
  }

  nonisolated static let user = "far"
  nonisolated static let number: uid_t = 61234

  let world: Testbed
  /// Contains the home folder of the user, and all that sshd needs.
  let folder: String
  let process: ObservedProcess
  /// The link to the machine's network; nil when sshd listens on the loopback interface of this machine.
  private let network: Network?

  var home: String { folder + "/home" }
  var runtimeFolder: String { folder + "/run" }
  /// A folder for `PATH` of this machine. Its `ssh` is that of the system, with the configuration of the test: ssh looks
  /// for its own in the home folder that the system says, not in that of the test.
  var localPrograms: String { folder + "/here" }
  var path: String { "\(localPrograms):\(Desktop.path)" }

  /// Runs a test with a daemon on this machine and a far machine.
  static func run(
    _ options: [String] = [], hasNetwork: Bool = false, settings: [String] = [],
    withUserManager: Bool = false,
    _ body: @MainActor (Testbed, FarMachine) async throws -> Void
  ) async throws {
    try await Testbed.run(startsDaemon: false, withUserManager: withUserManager ? true : nil) {
      world in
      let far = try await start(in: world, hasNetwork: hasNetwork, settings: settings)
      try await world.startDaemon(options, environment: ["PATH": far.path])
      try await body(world, far)
    }
  }

  /// - Parameters:
  ///   - hasNetwork: whether the machine has a network of its own, which can be cut.
  ///   - settings: further lines for sshd_config.
  static func start(
    in world: Testbed, name: String = "far", hasNetwork: Bool = false, settings: [String] = []
  ) async throws -> FarMachine {
    let folder = "\(world.folder)/\(name)"
    for part in ["etc", "home/.ssh", "bin", "here", "run"] {
      try FileManager.default.createDirectory(
        atPath: "\(folder)/\(part)", withIntermediateDirectories: true)
    }
    try await keys(in: folder, world)
    try users(in: folder)
    try programs(in: folder)
    let network = hasNetwork ? Network() : nil
    let port = network == nil ? try freePort() : 22
    let address = network?.farAddress ?? "127.0.0.1"
    try configure(folder, address, port, settings, name: name)
    try give(folder + "/home", mode: 0o755)
    try give(folder + "/home/.ssh", mode: 0o700)
    try give(folder + "/home/.ssh/authorized_keys", mode: 0o600)
    try give(folder + "/run", mode: 0o700)
    var arguments = ["--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "--uts"]
    if hasNetwork { arguments.append("--net") }
    arguments += ["/bin/bash", Fixture.path("far-machine.sh"), folder]
    if let network { arguments.append(network.farAddress + "/30") }
    let process = try world.startProcess("/usr/bin/unshare", arguments)
    let machine = FarMachine(world: world, folder: folder, process: process, network: network)
    if let network { try await machine.connect(network) }
    try await process.line(containing: "Server listening on")
    return machine
  }

  // MARK: Parts

  private static func keys(in folder: String, _ world: Testbed) async throws {
    for name in ["host", "user"] {
      let process = try world.startProcess(
        "/usr/bin/ssh-keygen",
        ["-q", "-t", "ed25519", "-N", "", "-C", name, "-f", "\(folder)/\(name)"])
      try #require(try await process.hasEnded() == "exited with code 0", "\(process.lines)")
    }
    try FileManager.default.copyItem(
      atPath: folder + "/user.pub", toPath: folder + "/home/.ssh/authorized_keys")
  }

  private static func users(in folder: String) throws {
    let lines = [
      "passwd": "\(user):x:\(number):\(number)::\(folder)/home:/bin/bash",
      "shadow": "\(user):*:19000::::::", "group": "\(user):x:\(number):",
    ]
    for (file, line) in lines {
      let text = try String(contentsOfFile: "/etc/\(file)", encoding: .utf8)
      try (text + line + "\n").write(
        toFile: "\(folder)/etc/\(file)", atomically: true, encoding: .utf8)
    }
  }

  private static func programs(in folder: String) throws {
    let files = FileManager.default
    try files.copyItem(atPath: Fixture.program("lsopen"), toPath: folder + "/bin/lsopen")
    try files.createSymbolicLink(
      atPath: folder + "/bin/xdg-open", withDestinationPath: "lsopen")
    try "#!/bin/sh\nexec /usr/bin/ssh -F '\(folder)/ssh_config' \"$@\"\n".write(
      toFile: folder + "/here/ssh", atomically: true, encoding: .utf8)
    try files.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: folder + "/here/ssh")
  }

  private static func configure(
    _ folder: String, _ address: String, _ port: Int, _ settings: [String], name: String
  ) throws {
    let server =
      [
        "Port \(port)", "ListenAddress \(address)", "HostKey \(folder)/host", "PidFile none",
        "UsePAM no", "PasswordAuthentication no", "StrictModes no", "AcceptEnv LANG LC_*",
        "MaxStartups 100", "MaxSessions 100",
        "SetEnv PATH=\(folder)/bin:/usr/local/bin:/usr/bin:/bin XDG_RUNTIME_DIR=\(folder)/run",
      ] + settings
    try (server.joined(separator: "\n") + "\n").write(
      toFile: folder + "/sshd_config", atomically: true, encoding: .utf8)
    let client = """
      Host \(name)
        HostName \(address)
        Port \(port)
        User \(user)
        IdentityFile \(folder)/user
        IdentitiesOnly yes
        UserKnownHostsFile \(folder)/known_hosts
        GlobalKnownHostsFile /dev/null

      """
    try client.write(toFile: folder + "/ssh_config", atomically: true, encoding: .utf8)
    let key = try String(contentsOfFile: folder + "/host.pub", encoding: .utf8)
    try "[\(address)]:\(port) \(key)\(address) \(key)".write(
      toFile: folder + "/known_hosts", atomically: true, encoding: .utf8)
  }

  /// Makes a file one of the far user.
  static func give(_ path: String, mode: mode_t) throws {
    let isGiven = unsafe chown(path, number, number) == 0 && chmod(path, mode) == 0
    try #require(isGiven)
  }

  private static func freePort() throws -> Int {
    let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(socket) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let done = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(socket, $0, length) == 0 && getsockname(socket, $0, &length) == 0
      }
    }
    try #require(done)
    return Int(UInt16(bigEndian: address.sin_port))
  }
}

// MARK: - The network

extension FarMachine {
  /// Addresses of a network between two machines, which no other test uses at the same time.
  fileprivate struct Network {
    let link = "ls" + UUID().uuidString.prefix(8).lowercased()
    private let part = (
      UInt8.random(in: 64...127), UInt8.random(in: 0...255), UInt8.random(in: 0..<64)
    )
    private func address(_ last: UInt8) -> String { "10.\(part.0).\(part.1).\(part.2 * 4 + last)" }
    var nearAddress: String { address(1) }
    var farAddress: String { address(2) }
  }

  /// The address of this machine in the network of the far machine.
  var nearAddress: String { network?.nearAddress ?? "127.0.0.1" }

  fileprivate func connect(_ network: Network) async throws {
    let first = try await Self.child(of: process)
    try await ip(
      "link", "add", network.link, "type", "veth", "peer", "name", "eth0", "netns", "\(first)")
    try await ip("address", "add", network.nearAddress + "/30", "dev", network.link)
    try await ip("link", "set", network.link, "up")
  }

  private func ip(_ words: String...) async throws {
    let process = try world.startProcess("/usr/sbin/ip", words)
    try #require(try await process.hasEnded() == "exited with code 0", "\(process.lines)")
  }

  /// Takes the network away: no packet arrives, and neither end is told.
  func cutNetwork() async throws { try await ip("link", "set", try #require(network).link, "down") }

  func restoreNetwork() async throws {
    try await ip("link", "set", try #require(network).link, "up")
  }
}

// MARK: - Commands

extension FarMachine {
  /// Starts a program of this machine with the `ssh` that knows the far machine.
  func start(_ program: String, _ arguments: [String]) throws -> ObservedProcess {
    try world.startProcess(
      program.hasPrefix("/") ? program : Fixture.program(program), arguments,
      environment: ["PATH": path])
  }

  /// Starts a program of the far machine for the far user, outside of all sessions.
  func startThere(_ words: [String], as user: uid_t = FarMachine.number) throws -> ObservedProcess {
    try world.startProcess(
      "/usr/bin/setpriv",
      ["--reuid", "\(user)", "--regid", "\(user)", "--clear-groups", "env", "-i"] + [
        "PATH=\(folder)/bin:/usr/bin:/bin", "HOME=\(home)", "XDG_RUNTIME_DIR=\(runtimeFolder)",
      ] + words)
  }

  /// Starts a program, which does not end soon, in the namespaces of the far machine for the far user, and returns its
  /// process number, too.
  func startInside(_ words: [String]) async throws -> (process: ObservedProcess, pid: pid_t) {
    let process = try await enter(words)
    return (process, try await Self.child(of: process))
  }

  /// Runs a program to its end in the namespaces of the far machine for the far user.
  func runInside(_ words: [String]) async throws -> String {
    try await enter(words).hasEnded()
  }

  private func enter(_ words: [String]) async throws -> ObservedProcess {
    let first = try await Self.child(of: process)
    return try world.startProcess(
      "/usr/bin/nsenter",
      ["--target", "\(first)", "--mount", "--pid", "--uts", "/usr/bin/setpriv"] + [
        "--reuid", "\(Self.number)", "--regid", "\(Self.number)", "--clear-groups", "env", "-i",
        "PATH=\(folder)/bin:/usr/bin:/bin", "HOME=\(home)", "XDG_RUNTIME_DIR=\(runtimeFolder)",
      ] + words)
  }

  /// The first process that a process has started.
  private static func child(of process: ObservedProcess) async throws -> pid_t {
    var first: pid_t?
    try await waitUntil("a process of the far machine") {
      let children = "/proc/\(process.pid)/task/\(process.pid)/children"
      first = (try? String(contentsOfFile: children, encoding: .utf8))?
        .split(separator: " ").first.flatMap { pid_t($0) }
      return first != nil
    }
    return try #require(first)
  }

  /// Runs a program of this machine to its end.
  func run(_ program: String, _ arguments: [String]) async throws -> (
    lines: [String], end: String
  ) {
    let process = try start(program, arguments)
    let end = try await process.hasEnded()
    return (process.lines, end)
  }

  /// The processes of `ssh` on this machine that belong to the test.
  var clients: [Int32] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap { Int32($0) }.filter { pid in
      let command = FileManager.default.contents(atPath: "/proc/\(pid)/cmdline") ?? Data()
      let words = command.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
      return words.first?.hasSuffix("/ssh") == true
        && words.contains { $0.contains(world.folder) }
    }
  }

  /// Gives a file of the tests to the far machine, and returns its path.
  func copy(_ fixture: String) throws -> String {
    let path = folder + "/bin/" + fixture
    try FileManager.default.copyItem(atPath: Fixture.path(fixture), toPath: path)
    try Self.give(path, mode: 0o644)
    return path
  }

  /// Runs a command line on the far machine, without anything of ours.
  func ssh(_ line: String) async throws -> (lines: [String], end: String) {
    try await run(localPrograms + "/ssh", ["far", line])
  }
}
