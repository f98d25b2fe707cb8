/// The stored choices of the user: applications registered by their paths, and chosen handlers.
package nonisolated struct RegistryState: Codable, Hashable, Sendable {
  package struct Registration: Codable, Hashable, Sendable {
    /// Path of the property list.
    package var path: String
    /// The values of build variables.
    package var definitions: [String: String]
    /// Nanoseconds since 1970.
    package var registeredAt: Int64

    package init(path: String, definitions: [String: String], registeredAt: Int64) {
      self.path = path
      self.definitions = definitions
      self.registeredAt = registeredAt
    }
  }

  package var registrations: [Registration] = []
  /// Scheme to bundle identifier.
  package var bindings: [String: String] = [:]
  /// Type to bundle identifier; nil for none.
  package var typeBindings: [String: String]?
  /// Path, percent-encoded, to bundle identifier; nil for none.
  package var fileBindings: [String: String]?
  /// The greatest number among the separately stored registrations that this state includes; nil without one.
  package var lastRegistration: Int?

  package init() {}

  /// Replaces an earlier registration of the same property list.
  package mutating func add(_ registration: Registration) {
    registrations.removeAll { $0.path == registration.path }
    registrations.append(registration)
  }
}
