package import LaunchRules

/// The parts of the daemon's state that a change of the registry may affect.
package nonisolated struct RegistryChange: Sendable {
  /// False when unchanged property lists were read again.
  package var changesRegistry = false
  /// Whether the associated domains of applications changed.
  package var changesLinks = false
  /// The associated domains of the applications that were installed, also unchanged ones.
  package var linkDomains: Set<WebHost> = []
  /// The added, changed and removed applications; nil when any application may have changed.
  package var applications: [BundleIdentifier]? = []
  /// The added and changed applications with D-Bus activation.
  package var activatable: [BundleIdentifier] = []
}
