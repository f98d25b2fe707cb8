/// The watched folders and the files being written in them, updated by events.
@MainActor struct WatchedTree: ~Copyable {
  private(set) var unwatched: [String: FileError] = [:]
  var beingWritten = FilesBeingWritten()
  private var folders: [String] = []
  private var places = WatchedPlaces()
  private let events: FolderEvents

  /// At most half of the user's watches, so that a folder with very many applications leaves the rest.
  private let mostWatches: Int
  /// Whether a folder that appears in a watched folder, or is removed from it, is a change.
  private let seesSubfolders: Bool
  /// The maximum number of paths in one change; more paths are reported as changes of their folders.
  private static let mostApplications = 1000

  typealias Change = DirectoryWatch.Change
  typealias Place = WatchedPlaces.Place

  init(
    mostWatches: Int = FolderEvents.watchesOfUser / 2, sharesInstance: Bool = true,
    seesSubfolders: Bool = false
  ) throws(Errno) {
    self.mostWatches = mostWatches
    self.seesSubfolders = seesSubfolders
    events = try FolderEvents(sharesInstance: sharesInstance)
  }

  /// - Parameter action: called when `processEvents` has something to do.
  func onPending(_ action: @escaping @MainActor () -> Void) { events.onPending = action }

  mutating func watch(_ path: String) {
    let folder = "/" + path.split(separator: "/").joined(separator: "/")
    guard !folders.contains(folder) else { return }
    folders.append(folder)
    plant(folder)
  }

  /// Handles all pending events and returns the change.
  mutating func processEvents() -> Change {
    var change = Change()
    for event in events.next() { process(event, &change) }
    if change.applications.count > Self.mostApplications {
      change.folders.formUnion(change.applications.map { parent(of: $0) })
      change.applications = []
    }
    return change
  }

  private mutating func process(_ event: FolderEvent, _ change: inout Change) {
    if event.kinds.contains(.overflow) {
      clear(Place(kind: .ancestor, path: "/"))
      replant(at: "/", &change)
    } else if let name = event.name {
      for place in places[event.watch] { process(event.kinds, name, in: place, &change) }
    } else if event.kinds.contains(.watchEnded) {
      for place in places.forget(event.watch) { lost(place, &change) }
    } else if event.kinds.contains(.folderMoved) {
      for place in places[event.watch] { lost(place, &change) }
    }
  }

  private mutating func process(
    _ kinds: FolderEvent.Kinds, _ name: String, in place: Place, _ change: inout Change
  ) {
    let path = place.path == "/" ? "/" + name : place.path + "/" + name
    let mayOpenOrClose = !kinds.isDisjoint(with: .renaming.union(.attributesChanged))
    switch place.kind {
    case .ancestor:
      replant(at: path, &change)
    case .folder where name.hasSuffix(".app") && mayOpenOrClose:
      watchBundle(path)
      change.applications.insert(path)
    case .folder where name.hasSuffix(".plist") || name.hasSuffix(".desktop"):
      record(kinds, path, of: path, &change)
    case .folder where name.hasSuffix(".entitlements"):
      let application = path.dropLast("entitlements".count) + "plist"
      record(kinds, path, of: String(application), &change)
    case .folder where seesSubfolders && kinds.contains(.ofFolder):
      if !kinds.isDisjoint(with: .renaming) { change.folders.insert(place.path) }
    case .folder where DesktopFolders.isRead(name):
      if kinds != .modified { change.applications.insert(path) }
    case .bundle where name == "Contents" && mayOpenOrClose:
      watchBundle(place.path)
      change.applications.insert(place.path)
    case .bundle where isRead(name):
      record(kinds, path, of: place.path, &change)
    case .contents where isRead(name):
      record(kinds, path, of: parent(of: place.path), &change)
    case .bundle where !kinds.isDisjoint(with: .renaming):
      change.applications.insert(place.path)
    case .contents where !kinds.isDisjoint(with: .renaming):
      change.applications.insert(parent(of: place.path))
    case .folder, .bundle, .contents:
      break
    }
  }

  /// Whether the file of a bundle describes the application.
  private func isRead(_ name: String) -> Bool {
    name == "Info.plist" || name.hasSuffix(".entitlements") || name.hasSuffix(".xcent")
  }

  /// Ignores a property list that is still being written.
  private mutating func record(
    _ kinds: FolderEvent.Kinds, _ path: String, of application: String,
    _ change: inout Change
  ) {
    beingWritten.record(kinds, path)
    if !kinds.contains(.modified) { change.applications.insert(application) }
  }

  /// Handles that the path no longer leads to the place.
  private mutating func lost(_ place: Place, _ change: inout Change) {
    switch place.kind {
    case .ancestor, .folder:
      replant(at: place.path, &change)
    case .bundle:
      watchBundle(place.path)
      change.applications.insert(place.path)
    case .contents:
      watchBundle(parent(of: place.path))
      change.applications.insert(parent(of: place.path))
    }
  }

  /// Handles that another file, or none, may be at `path` now.
  private mutating func replant(at path: String, _ change: inout Change) {
    for folder in folders where folder.isAt(orUnder: path) {
      plant(folder)
      change.folders.insert(folder)
    }
  }

  /// Watches a folder, or its existing parents, from the root down, so that nothing that is created below a
  /// watched folder is missed.
  private mutating func plant(_ folder: String) {
    var above: [String] = []
    var path = folder
    while path != "/" {
      path = parent(of: path)
      above.append(path)
    }
    // A folder that cannot be watched, such as another user's home, may still be traversed.
    var obstacle: FileError?
    for path in above.reversed() {
      let error = watch(Place(kind: .ancestor, path: path))
      if error?.isAbsence != true { obstacle = error }
    }
    // While the folder is missing, its nearest existing parent reports its creation.
    if watch(Place(kind: .folder, path: folder))?.isAbsence == true { unwatched[folder] = obstacle }
    do throws(FileError) {
      let names = try FolderListing.prompt(of: folder).names
      for name in names where name.hasSuffix(".app") { watchBundle(folder + "/" + name) }
    } catch {
      if !error.isAbsence { unwatched[folder] = error }
    }
  }

  private mutating func watchBundle(_ path: String) {
    watch(Place(kind: .bundle, path: path))
    watch(Place(kind: .contents, path: path + "/Contents"))
  }

  /// Watches the folder that is now at the place. An unchanged folder keeps its watch, so that no event is
  /// lost; a replaced folder loses its state.
  /// - Returns: The reason why the folder cannot be watched.
  @discardableResult private mutating func watch(_ place: Place) -> FileError? {
    do throws(FileError) {
      let watch = try FileError.explaining("watch", place.path) { () throws(Errno) in
        guard places[place] != nil || places.count < mostWatches else { throw .noSpace }
        return try events.watch(place.path, for: place.kind.kinds)
      }
      if let previous = places[place], previous != watch { clear(place) }
      places.insert(place, watch: watch)
      if place.kind != .ancestor { unwatched[place.path] = nil }
      return nil
    } catch {
      guard place.kind != .ancestor else {
        forget(place)
        return error
      }
      clear(place)
      if error.errno == .noSpace, place.kind != .folder {
        // One report is enough for many bundles.
        let bundle = place.kind == .bundle ? place.path : parent(of: place.path)
        unwatched[parent(of: bundle)] = error
      } else {
        unwatched[place.path] = error.isAbsence ? nil : error
      }
      return error
    }
  }

  private mutating func forget(_ place: Place) {
    for watch in places.remove(place) { events.end(watch) }
    beingWritten.forget(under: place.path)
  }

  private mutating func clear(_ place: Place) {
    forget(place)
    unwatched = unwatched.filter { !$0.key.isAt(orUnder: place.path) }
  }
}

extension WatchedPlaces.Place.Kind {
  fileprivate var kinds: FolderEvent.Kinds {
    let always: FolderEvent.Kinds = .renaming.union([.attributesChanged, .folderMoved])
    return self == .ancestor ? always : always.union([.modified, .closedAfterWriting])
  }
}

extension FileError {
  fileprivate var isAbsence: Bool { errno == .noSuchFile || errno == .notAFolder }
}
