internal import BusContract
internal import DBus
internal import DBusMainLoop
internal import Host
internal import LaunchRules

// The registry changes, in its place or as a whole, and those who listen are told.

extension Daemon {
  func change(_ body: @escaping (inout Registry) -> Void) {
    let duplicatesBefore = Set(registry.duplicateDiagnostics)
    let (before, linksBefore) = (registry.generation, registry.linkGeneration)
    changesMeanwhile.make(body, to: &registry)
    guard registry.generation != before else { return }
    for diagnostic in registry.duplicateDiagnostics
    where !duplicatesBefore.contains(diagnostic) {
      journal.warning(diagnostic.logLine)
    }
    registryChanged(withLinks: registry.linkGeneration != linksBefore)
  }

  /// Puts what a large round has made of a copy in the place of the registry.
  func replaceRegistry(_ successor: inout LargeRound.Successor) {
    changesMeanwhile.end(&successor.registry)
    guard successor.changesRegistry else { return }
    let old = registry
    successor.registry.follow(old)
    registry = successor.registry
    discard(old)
    for identifier in names.known.union(successor.busNames) {
      names.update(identifier, registry.application(identifier))
    }
    registryChanged(withLinks: successor.changesLinks)
    links.installed(successor.linkDomains)
  }

  private func registryChanged(withLinks: Bool) {
    dropQuickActions()
    desktopExporter.registryChanged()
    if withLinks { links.declarationsChanged(in: registry) }
    let generation = registry.generation
    session.send(
      .signal(
        path: Contract.objectPath, interface: Contract.registry, member: "Changed",
        [.uint64(generation)]))
    session.send(
      .signal(
        path: Contract.objectPath, interface: Contract.properties.name,
        member: "PropertiesChanged",
        [
          .string(Contract.registry.text), .options(["Generation": .uint64(generation)]),
          .strings([]),
        ]))
  }
}
