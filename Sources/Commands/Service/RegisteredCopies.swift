internal import BusContract
internal import DBus

/// Several bundles with the same identifier, one of which is in use.
package struct RegisteredCopies {
  private let identifier: String
  private let used: String
  private let others: [String]

  /// Nil when there is only one bundle, or the daemon does not answer.
  package init?(of identifier: String, in service: Service) {
    let message = Contract.findApplications(.identifier(identifier))
    let found = try? service.call(message, Service.patience).first?.asOptionsList
    let files = (found ?? []).compactMap { $0[Key.path]?.asString }
    guard files.count > 1 else { return nil }
    self.identifier = identifier
    used = files[0]
    others = Array(files.dropFirst())
  }

  /// A remark for the user who registered one of the bundles.
  package var remark: String {
    "\(others.count + 1) bundles have the identifier \(identifier): \(used) is used, and not "
      + "\(others.joined(separator: ", ")); remove all but one of them, or change their identifiers"
  }

  /// Whether the path is a bundle or property list that is not in use.
  package func isUnused(_ path: String) -> Bool {
    let isThere = { (file: String) in file == path || file.hasPrefix(path + "/") }
    return others.contains(where: isThere) && !isThere(used)
  }
}
