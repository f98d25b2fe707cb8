/// The unit of a process, from its control group.
///
/// Only the outermost group below the slices of the user's service manager is used: a unit may create groups
/// with any names inside its own group.
package enum UnitOfControlGroup {
  /// - Parameters:
  ///   - path: path in the version 2 hierarchy, such as
  ///     `/user.slice/user-1000.slice/user@1000.service/app.slice/app-example.scope`.
  ///   - root: the group of the user's service manager; nil when unknown, in which case it is assumed to be
  ///     `user@UID.service` of the system manager.
  ///   - user: the user ID.
  /// - Returns: the name of a service or scope.
  package static func unit(of path: String, below root: String?, user: UInt32) -> String? {
    var parts = path.split(separator: "/")
    if let root {
      let above = root.split(separator: "/")
      guard parts.starts(with: above) else { return nil }
      parts.removeFirst(above.count)
    } else {
      let above = parts.prefix { $0.hasSuffix(".slice") }.count
      guard above < parts.count, parts[above] == "user@\(user).service" else { return nil }
      parts.removeFirst(above + 1)
    }
    guard let name = parts.first(where: { !$0.hasSuffix(".slice") }),
      name.hasSuffix(".service") || name.hasSuffix(".scope")
    else { return nil }
    return String(name)
  }
}
