/// The identity of a caller, from facts of the kernel and the bus.
package enum Caller: Hashable, Sendable {
  case application(BundleIdentifier, Identification)
  /// A descendant of an application that the daemon started. The application is unknown, because the
  /// processes in between have ended.
  /// - Parameter isSandboxed: whether the application may be an iOS application.
  case orphan(isSandboxed: Bool)
  /// No registered application, such as a shell, a script or another program.
  case unidentified
  /// Another machine or container, on the socket that the user has made for it.
  case remote(RemoteName)
  /// No registered application, and no program of the user's session either.
  case outsider(Outsider)

  package var isOutsider: Bool { if case .outsider = self { true } else { false } }
}

/// How a caller was identified, most reliable first.
package enum Identification: String, Hashable, Sendable, CaseIterable {
  case checkedIn = "checked-in"
  /// The process has checked in on another connection, possibly with the previous daemon.
  case process = "process"
  case processTree = "process-tree"
  /// The control group of the process is the systemd unit of the application. A process cannot leave it by
  /// forking.
  case unit = "unit"
  case executable = "executable"
  /// Flatpak created the sandbox of the process for the application.
  case sandbox = "sandbox"
}

extension Identification: CustomStringConvertible {
  package var description: String {
    switch self {
    case .checkedIn: "it checked in on this connection"
    case .process: "its process checked in"
    case .processTree: "it is, or descends from, a process the daemon started for the application"
    case .unit: "it runs in a systemd unit of the application"
    case .executable: "its executable belongs to the application"
    case .sandbox: "Flatpak made its sandbox for the application"
    }
  }
}
