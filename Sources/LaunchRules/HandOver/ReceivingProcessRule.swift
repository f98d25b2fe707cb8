/// Decides whether a process that owns an endpoint of a desktop application, such as a bus name or a socket, may
/// receive the URLs of the application.
///
/// Any process may own any free name. A process that the daemon knows as another application, or that may be one,
/// never receives them.
package enum ReceivingProcessRule {
  /// What the daemon knows about the process.
  package enum Identity: Hashable, Sendable {
    /// A program of the user, or a process of a desktop application: desktop applications start each other.
    case ofUser
    /// An application with a property list.
    case application(String)
    /// A descendant of an application that cannot be determined.
    case descendant
    /// The daemon cannot identify the process.
    case unknown(reason: String)
  }

  /// The reason why the process gets no URL; nil when it may get the URLs.
  /// - Parameters:
  ///   - application: the desktop file ID of the application, or the bundle identifier of an application with a property list.
  ///   - isProgram: whether the kernel says that the process executes the program of the application, which is
  ///     not a script. The programs of the desktop may be descendants of an unknown application, too.
  package static func objection(
    to identity: Identity, of application: String, isProgram: Bool
  ) -> String? {
    switch identity {
    case .ofUser: nil
    case .descendant where isProgram: nil
    case .application(let other) where [other, other + ".desktop"].contains(application): nil
    case .application(let other): "a process of \(other) has taken the place of the application"
    case .descendant: "a process of another application has taken the place of the application"
    case .unknown(let reason): "the process of the application cannot be identified: \(reason)"
    }
  }
}
