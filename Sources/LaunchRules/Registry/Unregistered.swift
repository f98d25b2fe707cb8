/// The sentences about what is not registered, with one wording in the daemon and in the commands.
package enum Unregistered {
  /// - Parameter identifier: the bundle identifier, as the caller wrote it.
  package static func application(_ identifier: some CustomStringConvertible) -> String {
    "no application \(identifier) is registered"
  }

  package static func handler(of scheme: URLScheme) -> String {
    "no application is registered for the scheme \(scheme)"
  }
}
