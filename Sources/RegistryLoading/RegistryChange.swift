package import LaunchRules

/// What a change of the registry may mean for others.
package nonisolated struct RegistryChange: Sendable {
  /// False when the same property lists were read again.
  package var changesRegistry = false
  /// Applications declare other associated domains than before.
  package var changesLinks = false
  /// The associated domains of the applications that were read.
  package var linkDomains: Set<WebHost> = []
  /// The applications that came, changed or went; nil when that may be any.
  package var applications: [BundleIdentifier]? = []
  /// Those that came or changed and are started by their bus names.
  package var activatable: [BundleIdentifier] = []
}
