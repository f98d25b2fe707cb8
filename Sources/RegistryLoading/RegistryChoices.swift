package import Host
package import LaunchRules

/// The user's choices: applications registered by their paths, and chosen handlers.
///
/// A change is stored before it takes effect, and is refused when it cannot be stored.
package final class RegistryChoices {
  /// Maximum number of files with their own handler.
  private static let mostFiles = 10_000

  private var state: RegistryState
  private let limit: Int
  private let store: Store

  /// Stores the state. The registration is the only difference to the previously stored state, if given.
  package typealias Store = (RegistryState, RegistryState.Registration?) throws(FileError) -> Void

  /// - Parameters:
  ///   - state: the stored state.
  ///   - limit: maximum number of registrations by path, and of schemes with a chosen handler.
  package init(
    _ state: RegistryState, limit: Int,
    store: @escaping Store
  ) {
    self.state = state
    self.limit = limit
    self.store = store
  }

  var registrations: [RegistryState.Registration] { state.registrations }

  /// The property lists of the registered applications.
  package var registeredPaths: [String] { state.registrations.map(\.path) }

  /// Sets the chosen handlers in a registry.
  package func bind(in registry: inout Registry) {
    for (scheme, name) in state.bindings {
      if let scheme = URLScheme(scheme), let identifier = BundleIdentifier(name) {
        registry.bind(scheme, to: identifier)
      }
    }
    for (type, name) in state.typeBindings ?? [:] {
      if let type = TypeIdentifier(type) { registry.bind(type, to: BundleIdentifier(name)) }
    }
    for (file, name) in state.fileBindings ?? [:] {
      registry.bind(file: file, to: BundleIdentifier(name))
    }
  }

  // MARK: Registrations

  /// Adds a registration. An earlier registration of the same property list is replaced.
  func add(_ registration: RegistryState.Registration) throws(RegistryRefusal) {
    var state = state
    state.add(registration)
    guard state.registrations.count <= limit else {
      throw .limitExceeded(
        "\(limit) applications are registered by their paths already, which is the limit"
          + " MaximumRegistrations of the settings")
    }
    try change(to: state, adding: registration)
  }

  func removeRegistrations(of propertyLists: Set<String>) throws(RegistryRefusal) {
    var state = state
    state.registrations.removeAll { propertyLists.contains($0.path) }
    try change(to: state)
  }

  // MARK: Chosen handlers

  package func bind(_ scheme: URLScheme, to identifier: BundleIdentifier?) throws(RegistryRefusal) {
    var state = state
    guard
      identifier == nil || state.bindings[scheme.text] != nil || state.bindings.count < limit
    else {
      throw .limitExceeded(
        "applications were chosen for \(limit) schemes already, which is the limit"
          + " MaximumRegistrations of the settings")
    }
    state.bindings[scheme.text] = identifier?.text
    try change(to: state)
  }

  package func bind(
    _ type: TypeIdentifier, to identifier: BundleIdentifier?
  ) throws(RegistryRefusal) {
    var state = state
    var types = state.typeBindings ?? [:]
    guard identifier == nil || types[type.key] != nil || types.count < limit else {
      throw .limitExceeded(
        "applications were chosen for \(limit) types already, which is the limit"
          + " MaximumRegistrations of the settings")
    }
    types[type.key] = identifier?.text
    state.typeBindings = types
    try change(to: state)
  }

  package func bind(file: String, to identifier: BundleIdentifier?) throws(RegistryRefusal) {
    var state = state
    var files = state.fileBindings ?? [:]
    files[file] = identifier?.text
    guard files.count <= Self.mostFiles else {
      throw .limitExceeded(
        "\(Self.mostFiles) files have applications of their own already, which is the limit")
    }
    state.fileBindings = files
    try change(to: state)
  }

  /// Writes all stored choices again after the removal of the files.
  package func storeAgain() throws(FileError) { try store(state, nil) }

  private func change(
    to new: RegistryState, adding added: RegistryState.Registration? = nil
  ) throws(RegistryRefusal) {
    guard new != state else { return }
    do throws(FileError) {
      try store(new, added)
      state = new
    } catch {
      throw .notStored(error)
    }
  }
}

/// The reason why a requested change of the registry is refused.
package nonisolated enum RegistryRefusal: Error {
  case invalidBundle(String)
  case notRegistered(String)
  case notPermitted(String)
  case notStored(FileError)
  case limitExceeded(String)
}
