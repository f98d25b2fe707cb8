internal import BusContract
internal import DBus
internal import Host
internal import LaunchRules

/// The dynamic quick actions of applications. They are stored independently of running processes.
final class DynamicQuickActions {
  typealias Stored = [String: [QuickAction]]

  private let file: StateFile<Stored>
  private let journal: Journal
  private var actions: [BundleIdentifier: [QuickAction]] = [:]
  /// False until all applications were read: until then, an application that is not registered may still come.
  private var isRegistryRead = false

  init(_ file: StateFile<Stored>, _ journal: Journal) {
    self.file = file
    self.journal = journal
    for (name, list) in file.read(journal) ?? [:] {
      if let identifier = BundleIdentifier(name) { actions[identifier] = list }
    }
  }

  subscript(_ identifier: BundleIdentifier) -> [QuickAction] { actions[identifier] ?? [] }

  /// Stores the actions, then sets them. Throws without a change when the file cannot be written.
  func set(_ list: [QuickAction], of identifier: BundleIdentifier) throws(FileError) {
    guard list != self[identifier] else { return }
    var changed = actions
    changed[identifier] = list.isEmpty ? nil : list
    try store(changed)
    actions = changed
  }

  /// Call this when all applications were read.
  func recordRegistryRead() { isRegistryRead = true }

  /// Removes the quick actions of all other applications, once all applications were read.
  func keep(where isRegistered: (BundleIdentifier) -> Bool) {
    guard isRegistryRead else { return }
    let kept = actions.filter { isRegistered($0.key) }
    guard kept.count != actions.count else { return }
    actions = kept
    do throws(FileError) {
      try store(kept)
    } catch {
      journal.error(
        "the quick actions of an unregistered application cannot be removed from the file",
        ["reason": "\(error)"])
    }
  }

  /// Writes the file again after its removal.
  func storeAgain() throws(FileError) { try store(actions) }

  private func store(_ actions: [BundleIdentifier: [QuickAction]]) throws(FileError) {
    try file.write(Stored(uniqueKeysWithValues: actions.map { ($0.key.text, $0.value) }))
  }
}

// MARK: - Combination with static quick actions

extension DynamicQuickActions {
  /// The quick actions that menus show.
  func shown(of application: InstalledApplication) -> [QuickAction] {
    QuickActionMenu.shown(
      static: application.declaration.shortcutItems,
      dynamic: self[application.identifier])
  }

  /// The first quick action of this type, whether or not menus have room to show it.
  func action(
    _ type: String, of application: InstalledApplication
  ) throws(BusError) -> QuickAction {
    let all =
      application.declaration.shortcutItems + self[application.identifier]
    if let action = all.first(where: { $0.isOfType(type) }) { return action }
    let types = all.map(\.type).joined(separator: ", ")
    throw .invalidArguments(
      "type: \(application.identifier) has no quick action '\(type)'; it has "
        + (all.isEmpty ? "none" : types))
  }
}
