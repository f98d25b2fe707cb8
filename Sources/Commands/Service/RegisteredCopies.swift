internal import BusContract
internal import DBus

/// Several bundles that have one identifier, of which one is used.
package struct RegisteredCopies {
  private let identifier: String
  private let used: String
  private let others: [String]

  /// Nil when there are not several, or the daemon does not say.
  package init?(of identifier: String, in service: Service) {
    let message = Contract.findApplications(.identifier(identifier))
    let found = try? service.call(message, Service.patience).first?.asOptionsList
    let files = (found ?? []).compactMap { $0[Key.path]?.asString }
    guard files.count > 1 else { return nil }
    self.identifier = identifier
    used = files[0]
    others = Array(files.dropFirst())
  }

  /// What the person who registered one of them should know.
  package var remark: String {
    "\(others.count + 1) bundles have the identifier \(identifier): \(used) is used, and not "
      + "\(others.joined(separator: ", ")); remove all but one of them, or change their identifiers"
  }

  /// Whether the bundle or property list at the path is one that is not used.
  package func isUnused(_ path: String) -> Bool {
    let isThere = { (file: String) in file == path || file.hasPrefix(path + "/") }
    return others.contains(where: isThere) && !isThere(used)
  }
}
