/// Decides whether a process that owns an endpoint of a desktop application, such as a bus name or a socket, may
/// receive the URLs of the application.
///
/// Any process may own any free name. Only a process of the application's program receives the URLs, outside of a sandbox
/// unless the application is installed to run in one. A process that the daemon knows as another application, or that may
/// be one, never receives them.
package enum ReceivingProcessRule {
  /// What the daemon knows about the process.
  package enum Identity: Hashable, Sendable {
    /// A program of the user.
    case ofUser
    /// A process of a desktop application: desktop applications start each other.
    case desktopApplication(String)
    /// An application with a property list.
    case application(String)
    /// A descendant of one of several applications that the daemon has started.
    case descendant
    /// The daemon cannot identify the process.
    case unknown(reason: String)
  }

  /// How the process relates to the program of the application.
  package enum Program: Hashable, Sendable {
    /// By its executable and its command line the process runs the program.
    case run
    /// The process runs another program, or is in a sandbox.
    case other
  }

  /// Which processes have the endpoint open, as the kernel says.
  package struct Holders: Hashable, Sendable {
    /// The number of connections that the process has made to the server of the endpoint; 1 for a socket at which it
    /// listens.
    package var made: Int
    /// The number of such connections that the process has open.
    package var held: Int
    /// The processes of other programs that have one of them open, too.
    package var others: [Int32]

    package init(made: Int, held: Int, others: [Int32]) {
      (self.made, self.held, self.others) = (made, held, others)
    }
  }

  /// The reason why the endpoint of the process gets no URL; nil when the process is who receives what is sent there.
  package static func objection(to holders: Holders) -> String? {
    guard holders.made > 0, holders.held >= holders.made else {
      return "the process of the application has passed its connection on to another process"
    }
    return holders.others.min().map {
      "process \($0), of another program, can read what is sent to the application"
    }
  }

  /// The application that gets the URLs.
  package struct Application: Hashable, Sendable {
    /// The desktop file ID, or the bundle identifier of an application with a property list.
    package var identifier: String
    /// Whether the application is installed to run in a sandbox, as those of Flatpak and Snap are.
    package var isSandboxed: Bool

    package init(_ identifier: String, isSandboxed: Bool = false) {
      (self.identifier, self.isSandboxed) = (identifier, isSandboxed)
    }
  }

  /// The reason why the process gets no URL; nil when it may get the URLs.
  package static func objection(
    to identity: Identity, of application: Application, _ program: Program
  ) -> String? {
    switch identity {
    case .application(let other) where [other, other + ".desktop"].contains(application.identifier):
      return nil
    case .application(let other):
      return "a process of \(other) has taken the place of the application"
    case .unknown(let reason):
      return "the process of the application cannot be identified: \(reason)"
    case .descendant:
      return "a process that another application has started has taken the place of the application"
    case .desktopApplication(application.identifier) where application.isSandboxed: return nil
    case .ofUser, .desktopApplication:
      return program == .other
        ? "a process of another program, or in a sandbox, has taken the place of the application"
        : nil
    }
  }
}
