internal import ApplicationFolders
internal import Host
internal import LaunchRules
internal import PropertyLists

// What the user asks of the registry.

extension RegistryKeeper {
  enum Refusal: Error {
    case invalidBundle(String)
    case notRegistered(String)
    case notPermitted(String)
    case notStored(FileError)
    case limitExceeded(String)
  }

  /// Registers what was read a moment ago for good, also when it was registered before.
  func register(
    _ found: PropertyListReader.Found<ApplicationReading>, definitions: [String: String]
  ) throws(Refusal) -> InstalledApplication {
    var reading: ApplicationReading
    do throws(PropertyListPath.NotFound) {
      reading = try found.get()
    } catch {
      throw .invalidBundle(error.description)
    }
    let propertyList = reading.path
    let order = PropertyListOrder(
      path: propertyList, definitions: definitions, registeredAt: Time.wallClockNanoseconds())
    reading.application?.installedAt = order.registeredAt ?? 0
    guard let application = reading.application else {
      Self.report(reading.diagnostics, journal)
      let errors = reading.diagnostics.filter { $0.severity == .error }
      throw .invalidBundle(errors.map(\.description).joined(separator: "\n"))
    }
    var state = state
    state.registrations.removeAll { $0.path == propertyList }
    guard state.registrations.count < registrationLimit else {
      throw .limitExceeded(
        "\(registrationLimit) applications are registered by their paths already, which is the limit"
          + " MaximumRegistrations of the settings")
    }
    state.registrations.append(
      .init(path: propertyList, definitions: definitions, registeredAt: order.registeredAt ?? 0))
    try store(state)
    watch?.watch(Self.watchedFolder(of: propertyList))
    schedule.overtake([propertyList])
    take([order.record(of: reading)])
    // It was not watched while it was read.
    look(at: [propertyList])
    return application
  }

  /// - Parameter copies: the property lists of the application that are registered.
  func unregister(_ identifier: String, copies: [String]) throws(Refusal) {
    let registered = copies.filter { registeredPaths.contains($0) }
    guard !registered.isEmpty else {
      guard let place = copies.first else {
        throw .notRegistered("no application \(identifier) is registered")
      }
      throw .notPermitted(
        "\(identifier) was found in an application folder; remove \(place) to unregister it")
    }
    try forget(registered)
  }

  /// Forgets applications that were registered by their paths: all, or those whose files are gone.
  /// - Returns: their property lists.
  func forgetRegistrations(missingOnly: Bool) throws(Refusal) -> [String] {
    let paths = registeredPaths.filter { !missingOnly || Self.isMissing($0) }
    if !paths.isEmpty { try forget(paths) }
    return paths
  }

  private func forget(_ registered: [String]) throws(Refusal) {
    var state = state
    let paths = Set(registered)
    state.registrations.removeAll { paths.contains($0.path) }
    try store(state)
    schedule.forget(registered)
    change { known in
      for path in registered { known.readings.remove(path) }
    }
    apply(registered, [])
    // One that lies in an application folder as well is still an application.
    look(at: Set(registered.filter { path in folders.contains { path.hasPrefix($0.path + "/") } }))
  }

  func bind(_ scheme: URLScheme, to identifier: BundleIdentifier?) throws(Refusal) {
    var state = state
    guard
      identifier == nil || state.bindings[scheme.text] != nil
        || state.bindings.count < registrationLimit
    else {
      throw .limitExceeded(
        "applications were chosen for \(registrationLimit) schemes already, which is the limit"
          + " MaximumRegistrations of the settings")
    }
    state.bindings[scheme.text] = identifier?.text
    try store(state)
  }

  /// Stored first: what could not be stored is refused rather than forgotten at the next start.
  func store(_ new: RegistryState) throws(Refusal) {
    do throws(FileError) {
      try stateFile.write(new)
      state = new
    } catch {
      throw .notStored(error)
    }
  }
}
