package import Host
package import LaunchRules
package import ProcessSupervision

extension CallerTable {
  /// What does not change while a connection lives.
  package struct Facts {
    /// Nil when it cannot be read.
    package var executable: ProcessDetails.Executable?
    /// The process and all those it descends from, nearest first, with their start times, so that a
    /// process number that was used again is not believed.
    package var lineage: [(pid: Int32, startTime: UInt64)]
    package var session: ProcessAncestry.Session
    /// The process among those above it, or itself, whose parent this daemon is.
    package var childOfDaemon: Int32?
    /// The unit of the user's service manager that it belongs to.
    package var unit: String?
    /// What the sandbox that it runs in was made for.
    package var flatpak: BundleIdentifier?
    /// What the bridge has put into the environment of the programs above it.
    package var hops: BridgeHops?
    /// Whether it may act for a page in a browser.
    package var finding: WebOrigin.Finding

    /// A browser has started it, directly or not.
    package var isFromBrowser: Bool { finding == .browser }

    /// The process itself.
    package var own: (pid: Int32, startTime: UInt64) { lineage[0] }

    /// What it is traced back to the process that started it by.
    package var ancestry: ProcessAncestry {
      ProcessAncestry(lineage: lineage, session: session, unit: unit)
    }

    /// Whose share of what is limited it uses: that of its application's unit, else that of the process.
    package var share: String {
      if let unit, ApplicationUnit.identifier(in: unit) != nil { return unit }
      return "process \(own.pid) \(own.startTime)"
    }
  }

  /// Why nothing is known of a connection, and nothing believed.
  package enum Unknown: Error {
    /// Its process is of another user, or gone.
    case notOurs
    /// What is known of it could not be found out; a sentence without its full stop.
    case unread(String)
  }

  package typealias Answer = Result<Facts, Unknown>
}
