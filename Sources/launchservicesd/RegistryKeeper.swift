internal import ApplicationFolders
internal import Host
internal import LaunchRules
internal import PropertyLists

/// Keeps the registry equal to what lies on disk and to what the user asked for.
final class RegistryKeeper {
  /// How many applications may be registered by their paths.
  var registrationLimit = Int.max
  /// Changes of the registry go through here.
  typealias Apply = (_ removing: [String], _ installing: [InstalledApplication]) -> Void

  private let folders: [ApplicationFolder]
  private let stateFile: StateFile<RegistryState>
  private let journal: Journal
  private let apply: Apply
  private var state: RegistryState
  private var readings: [String: ApplicationReading] = [:]
  private var watch: DirectoryWatch?
  private(set) var executables = ExecutableIndex()

  init(
    folders: [ApplicationFolder], stateFile: StateFile<RegistryState>, journal: Journal,
    apply: @escaping Apply
  ) {
    self.folders = folders
    self.stateFile = stateFile
    self.journal = journal
    self.apply = apply
    state = stateFile.read(journal) ?? RegistryState()
  }

  /// The user's choices, as stored.
  var bindings: [URLScheme: BundleIdentifier] {
    var bindings: [URLScheme: BundleIdentifier] = [:]
    for (scheme, identifier) in state.bindings {
      if let scheme = URLScheme(scheme), let identifier = BundleIdentifier(identifier) {
        bindings[scheme] = identifier
      }
    }
    return bindings
  }

  func diagnostics(of path: String) -> [Diagnostic] { readings[path]?.diagnostics ?? [] }

  /// Files that hold no application, with the reasons.
  var refused: [ApplicationReading] {
    readings.values.filter { $0.application == nil }.sorted { $0.path < $1.path }
  }
}

// MARK: - Reading

extension RegistryKeeper {
  /// Watches first, then reads everything, so that no change falls between.
  func start() {
    let registered = state.registrations.map { Self.watchedFolder(of: $0.path) }
    do throws(Errno) {
      watch = try DirectoryWatch(folders: folders.map(\.path) + registered) { [weak self] change in
        self?.changed(change)
      }
      for (folder, error) in watch?.unwatched ?? [:] {
        journal.warning(
          "changes in a folder go unnoticed", ["folder": folder, "reason": "\(error)"])
      }
    } catch {
      journal.warning(
        "changes of application folders go unnoticed until: lsregister reload",
        ["reason": "\(error)"])
    }
    reload()
  }

  func reload() {
    update(Set(readings.keys).union(folders.flatMap(propertyLists)).union(registeredPaths))
  }

  private var registeredPaths: [String] { state.registrations.map(\.path) }

  private func propertyLists(in folder: ApplicationFolder) -> [String] {
    do throws(FileError) {
      return try folder.propertyLists()
    } catch {
      journal.warning("an application folder cannot be read", ["reason": "\(error)"])
      return []
    }
  }

  private func changed(_ change: DirectoryWatch.Change) {
    var paths: Set<String> = []
    for folder in folders where change.folders.contains(folder.path) {
      paths.formUnion(propertyLists(in: folder))
    }
    for path in readings.keys where isWithin(path, change.folders) { paths.insert(path) }
    for application in change.applications {
      let folder = Self.parent(of: application)
      if folders.contains(where: { $0.path == folder }) {
        paths.formUnion(ApplicationFolder.propertyLists(at: application))
      }
      paths.formUnion(
        readings.keys.filter { $0 == application || $0.hasPrefix(application + "/") })
      paths.formUnion(
        registeredPaths.filter { $0 == application || $0.hasPrefix(application + "/") })
    }
    update(paths)
  }

  private func isWithin(_ path: String, _ folders: Set<String>) -> Bool {
    folders.contains { path.hasPrefix($0 + "/") }
  }

  /// Reads these property lists again and changes the registry once.
  private func update(_ paths: Set<String>) {
    let changedPaths = paths.sorted().filter { readings[$0]?.isCurrent != true }
    var fresh = changedPaths.map(read)
    // Asked after reading: a file that was broken because somebody is writing it will come again,
    // and its last good version stays.
    let beingWritten = watch?.pathsBeingWritten ?? []
    fresh.removeAll { $0.application == nil && beingWritten.contains($0.path) }
    take(fresh)
  }

  private func read(_ path: String) -> ApplicationReading {
    let registration = state.registrations.first { $0.path == path }
    let isSystem = folders.contains { $0.isSystem && path.hasPrefix($0.path + "/") }
    var reading = ApplicationReading(
      of: path, variables: BuildVariables(registration?.definitions ?? [:]), isSystem: isSystem)
    if let registration { reading.application?.installedAt = registration.registeredAt }
    return reading
  }

  private func take(_ fresh: [ApplicationReading]) {
    var removing: [String] = []
    var installing: [InstalledApplication] = []
    for reading in fresh {
      let isGone = reading.stamp == nil && Self.isMissing(reading.path)
      let old = readings[reading.path]
      readings[reading.path] = isGone && !registeredPaths.contains(reading.path) ? nil : reading
      executables.update(reading.path, reading.application)
      if let application = reading.application {
        installing.append(application)
      } else {
        removing.append(reading.path)
      }
      if old?.diagnostics != reading.diagnostics, !isGone { report(reading.diagnostics) }
    }
    guard !removing.isEmpty || !installing.isEmpty else { return }
    apply(removing, installing)
  }

  private func report(_ diagnostics: [Diagnostic]) {
    for diagnostic in diagnostics {
      switch diagnostic.severity {
      case .error: journal.error(diagnostic.logLine)
      case .warning: journal.warning(diagnostic.logLine)
      case .note: journal.info(diagnostic.logLine)
      }
    }
  }

  /// Nothing is there; a link that leads in a circle is something.
  private static func isMissing(_ path: String) -> Bool {
    do throws(FileError) {
      _ = try FileStamp(path: path)
      return false
    } catch {
      return error.errno == .noSuchFile || error.errno == .notAFolder
    }
  }

  /// The folder whose watch notices changes of a registered property list.
  private static func watchedFolder(of propertyList: String) -> String {
    parent(
      of: BundleLocation(propertyList: propertyList).layout == .loose
        ? propertyList : BundleLocation(propertyList: propertyList).folder)
  }

  private static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return "/" }
    return String(path[..<slash])
  }
}

// MARK: - What the user asks for

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
    let now = Time.wallClockNanoseconds()
    reading.application?.installedAt = now
    guard let application = reading.application else {
      report(reading.diagnostics)
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
      .init(path: propertyList, definitions: definitions, registeredAt: now))
    try store(state)
    watch?.watch(Self.watchedFolder(of: propertyList))
    take([reading])
    // It was not watched while it was read.
    update([propertyList])
    return application
  }

  /// - Parameter copies: the property lists of the application that are registered.
  func unregister(_ identifier: BundleIdentifier, copies: [String]) throws(Refusal) {
    let registered = copies.filter { registeredPaths.contains($0) }
    guard !registered.isEmpty else {
      guard let place = copies.first else {
        throw .notRegistered("no application \(identifier) is registered")
      }
      throw .notPermitted(
        "\(identifier) was found in an application folder; remove \(place) to unregister it")
    }
    var state = state
    state.registrations.removeAll { registered.contains($0.path) }
    try store(state)
    for path in registered {
      readings[path] = nil
      executables.update(path, nil)
    }
    apply(registered, [])
    // One that lies in an application folder as well is still an application.
    update(Set(registered.filter { path in folders.contains { path.hasPrefix($0.path + "/") } }))
  }

  func bind(_ scheme: URLScheme, to identifier: BundleIdentifier?) throws(Refusal) {
    var state = state
    state.bindings[scheme.text] = identifier?.text
    try store(state)
  }

  /// Stored first: what could not be stored is refused rather than forgotten at the next start.
  private func store(_ new: RegistryState) throws(Refusal) {
    do throws(FileError) {
      try stateFile.write(new)
      state = new
    } catch {
      throw .notStored(error)
    }
  }
}
