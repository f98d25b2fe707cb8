/// The reason why a process that connects is not a program of the user's session: it passes the calls of others on, or
/// runs in a container or sandbox. Such a caller may open URLs with the handlers that the rules choose, and has none of
/// the user's other rights.
package enum Outsider: Hashable, Sendable {
  /// A program that passes the bytes of another machine or process on.
  case forwarder(program: String)
  /// The dynamic loader, with which any program can be started, also a forwarder.
  case loader(program: String)
  /// A process in other namespaces than the programs of the session, such as `user, pid, mnt`.
  case container(namespaces: String)

  /// Programs whose connections carry the calls of others.
  private static let forwarders: Set = [
    // Shells of other machines.
    "autossh", "dbclient", "dropbear", "dropbearmulti", "et", "etserver", "etterminal",
    "mosh-client", "mosh-server", "plink", "ssh", "sshd", "sshd-auth", "sshd-session",
    "tailscaled",
    // Bytes from one socket to another.
    "busybox", "chisel", "cloudflared", "envoy", "frpc", "frps", "gost", "haproxy", "nc",
    "nc.openbsd", "nc.traditional", "ncat", "netcat", "nginx", "ngrok", "socat", "socat1",
    "stunnel", "stunnel4", "systemd-socket-proxyd", "systemd-stdio-bridge", "traefik",
    "websocat", "wstunnel", "xdg-dbus-proxy",
    // Networks and devices of containers and virtual machines.
    "cloud-hypervisor", "crosvm", "docker-proxy", "firecracker", "gvproxy", "passt",
    "passt.avx2", "pasta", "pasta.avx2", "rootlesskit", "rootlessport", "slirp4netns",
    "virtiofsd", "vpnkit",
  ]
  /// Each kind of machine has a program of its own.
  private static let virtualMachines = "qemu-"
  private static let loaders = ["ld-linux", "ld-musl-", "ld.so", "ld64.so"]

  /// The namespaces in which the programs of one session agree, by their names in `/proc/PID/ns`. Programs that protect
  /// themselves with the others (`net`, `ipc`, `uts`, …) are still programs of the session: they have its files, its
  /// users and its processes.
  package static let namespaces = ["user", "pid", "mnt"]

  /// Whether the caller opens URLs with the rights of a new remote. A program that shares the users and the processes of
  /// the session and has mounts of its own, such as a snap or a service with `PrivateTmp`, is no container: the user is
  /// asked about its opens as about the links of a web page.
  package var hasRightsOfRemote: Bool {
    switch self {
    case .forwarder, .loader: true
    case .container(let namespaces): namespaces != "mnt"
    }
  }

  /// The name of such a caller in the log and the history: the path of its program may mean another file here.
  /// - Parameter program: path of the executable.
  package func recordedName(_ program: String) -> String {
    switch self {
    case .forwarder, .loader: "forwarded:\(program)"
    case .container: "container:\(program)"
    }
  }

  /// - Parameters:
  ///   - program: file name of the executable; nil when unreadable.
  ///   - others: the names of the namespaces of the process that differ from those of the session.
  package init?(program: String?, otherNamespaces others: [String]) {
    if let program, Self.forwarders.contains(program) || program.hasPrefix(Self.virtualMachines) {
      self = .forwarder(program: program)
    } else if let program, Self.loaders.contains(where: program.hasPrefix) {
      self = .loader(program: program)
    } else if !others.isEmpty {
      self = .container(namespaces: others.joined(separator: ", "))
    } else {
      return nil
    }
  }
}

extension Outsider: CustomStringConvertible {
  package var description: String {
    switch self {
    case .forwarder(let program):
      "the caller is \(program), which passes on the calls of other programs"
    case .loader(let program):
      "the caller was started by \(program), so its program is not known; start the program itself"
    case .container(let namespaces):
      "the caller runs in a container or sandbox (it has other namespaces: \(namespaces))"
    }
  }

  /// What to use in place of the connection.
  package static let advice =
    "give the other machine or container a socket of its own with 'lsregister remote add NAME'"
}
