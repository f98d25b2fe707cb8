package import DBus
internal import Glibc
package import Host
package import LaunchRules
package import ProcessSupervision

/// The scope of the identifiers of a connection.
final class RequestScope {
  private var kept: String??

  /// - Returns: the scope of the first call.
  func keep(_ scope: String?) -> String? {
    if let kept { return kept }
    kept = .some(scope)
    return scope
  }
}

extension CallerTable {
  /// The facts about the process behind a connection. They are constant while the connection is open.
  package struct Facts {
    /// Nil when the executable cannot be read.
    package var executable: ProcessDetails.Executable?
    /// The process and its ancestors, nearest first, with their start times, so that a reused process number is
    /// recognised.
    package let lineage: [(pid: Int32, startTime: UInt64)]
    package var session: ProcessAncestry.Session
    /// The process in the lineage whose parent is this daemon.
    package var childOfDaemon: Int32?
    /// The unit of the user's service manager that contains the process.
    package var unit: String?
    /// The application of the Flatpak sandbox in which the process runs.
    package var flatpak: BundleIdentifier?
    /// The hops of the desktop bridge in the environment of the ancestors of the process.
    package var hops: BridgeHops?
    /// Whether the process may act for a web page.
    package var finding: WebOrigin.Finding
    /// The variables that name the display of the process; see `CallerVariables.display`.
    package var display: [String: String]
    /// Whether the process, or the chain of processes that led to it, begins at a terminal.
    package var hasTerminal: Bool
    /// Set when the process is not a program of the user's session.
    package var outsider: Outsider?
    /// Whether paths of the process mean other files.
    package var hasOtherRoot: Bool
    /// The remote whose socket the connection was made to. Nothing is known about its process then.
    package private(set) var remote: RemoteName?

    /// See `IdentifiedCaller.requestScope`.
    let requestScope = RequestScope()

    /// The groups of the process, outermost first; see `IdentifiedCaller.groups`. Each open needs the groups several times.
    let groups: [LoadOwner]

    package init(
      executable: ProcessDetails.Executable?, lineage: [(pid: Int32, startTime: UInt64)],
      session: ProcessAncestry.Session, childOfDaemon: Int32?, unit: String?,
      flatpak: BundleIdentifier?, hops: BridgeHops?, finding: WebOrigin.Finding,
      display: [String: String] = [:], hasTerminal: Bool = false, outsider: Outsider? = nil,
      hasOtherRoot: Bool = false, beginsWithUser: Bool = false
    ) {
      self.executable = executable
      self.lineage = lineage
      self.session = session
      self.childOfDaemon = childOfDaemon
      self.unit = unit
      self.flatpak = flatpak
      self.hops = hops
      self.finding = finding
      self.display = display
      self.hasTerminal = hasTerminal
      self.outsider = outsider
      self.hasOtherRoot = hasOtherRoot
      let daemon = getpid()
      let above = lineage.dropFirst().prefix { $0.pid > 1 && $0.pid != daemon }
      let ancestors = above.suffix(Self.mostGroups).reversed()
      groups =
        if let unit {
          [.unit(unit)]
            + (ApplicationUnit.identifier(in: unit) == nil
              ? ancestors.map { .branch(ofUnit: unit, $0.pid, startTime: $0.startTime) } : [])
        } else {
          above.isEmpty
            ? [.orphans]
            : (beginsWithUser ? [.user] : [])
              + ancestors.map { .process($0.pid, startTime: $0.startTime) }
        }
    }

    /// The facts about a connection to the socket of a remote.
    package init(of remote: RemoteName) {
      self.init(
        executable: nil, lineage: [(0, 0)], session: .init(number: -1, leaderStartTime: nil),
        childOfDaemon: nil, unit: nil, flatpak: nil, hops: nil, finding: .program,
        hasOtherRoot: true)
      self.remote = remote
    }

    /// Maximum number of ancestor groups. The outermost ancestors are kept, so that additional processes in
    /// between do not evade the limit.
    private static let mostGroups = 64

    /// Whether a browser is among the ancestors of the process.
    package var isFromBrowser: Bool { finding == .browser }

    /// The process itself.
    package var own: (pid: Int32, startTime: UInt64) { lineage[0] }

    /// The groups of callers in which the caller shares limits before its application is known, outermost first, with its
    /// own share as the last.
    package var groupsAndShare: [LoadOwner] {
      let groups = remote == nil ? groups : []
      return groups.last == share ? groups : groups + [share]
    }

    /// The evidence for finding the instance that started the process.
    package var ancestry: ProcessAncestry {
      ProcessAncestry(lineage: lineage, session: session, unit: unit)
    }

    /// The key for limits and fair scheduling: the unit of the application, otherwise the process.
    package var share: LoadOwner {
      if let remote { return .remote(remote) }
      if let unit, ApplicationUnit.identifier(in: unit) != nil { return .unit(unit) }
      return .process(own.pid, startTime: own.startTime)
    }
  }

  /// What is known about a direct connection before anything is read from it.
  package enum DirectPeer {
    /// The credentials of the peer process from the kernel, as the bus method `GetConnectionCredentials` returns them.
    case process(Options)
    case remote(RemoteName)
  }

  /// The reason why the caller on a connection cannot be identified.
  package enum Unknown: Error {
    /// The process belongs to another user, or has ended.
    case notOurs
    /// The evidence could not be read; a sentence without its full stop.
    case unread(String)
  }

  package typealias Answer = Result<Facts, Unknown>
}
