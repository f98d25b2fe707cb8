/// Who made a call, as the kernel and the bus say.
package enum Caller: Hashable, Sendable {
  case application(BundleIdentifier, Identification)
  /// An application that the daemon has started, but it is not known which: those between have ended.
  /// - Parameter isSandboxed: it may be an iOS application.
  case orphan(isSandboxed: Bool)
  /// No registered application: a shell, a script, a program nobody declared.
  case unidentified
}

/// How a caller was recognised, surest first.
package enum Identification: String, Hashable, Sendable, CaseIterable {
  case checkedIn = "checked-in"
  /// Another connection of a process that checked in, perhaps with the daemon before this one.
  case process = "process"
  case processTree = "process-tree"
  /// Its control group is the systemd unit of the application, which it cannot leave by forking.
  case unit = "unit"
  case executable = "executable"
  /// Flatpak made its sandbox for the application.
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
