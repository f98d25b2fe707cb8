/// Maps watch descriptors to paths; one folder may have several paths.
struct WatchedPlaces {
  /// A folder to watch and the events.
  struct Place: Hashable {
    enum Kind { case ancestor, folder, bundle, contents }
    let kind: Kind
    let path: String
  }

  private var watches: [Place: Int32] = [:]
  private var places: [Int32: Set<Place>] = [:]

  var count: Int { places.count }

  subscript(watch: Int32) -> Set<Place> { places[watch] ?? [] }

  subscript(place: Place) -> Int32? { watches[place] }

  mutating func insert(_ place: Place, watch: Int32) {
    watches[place] = watch
    places[watch, default: []].insert(place)
  }

  /// Removes a place and the places below it. Returns the watches that are no longer needed.
  mutating func remove(_ place: Place) -> [Int32] {
    let removed: [Place] =
      switch place.kind {
      case .contents: [place]
      case .bundle: [place, Place(kind: .contents, path: place.path + "/Contents")]
      case .folder, .ancestor: watches.keys.filter { $0.path.isAt(orUnder: place.path) }
      }
    return removed.compactMap { removeOne($0) }
  }

  private mutating func removeOne(_ place: Place) -> Int32? {
    guard let watch = watches.removeValue(forKey: place) else { return nil }
    places[watch]?.remove(place)
    guard places[watch]?.isEmpty == true else { return nil }
    places[watch] = nil
    return watch
  }

  /// Handles that the kernel removed the watch. Returns its places.
  mutating func forget(_ watch: Int32) -> Set<Place> {
    let lost = places.removeValue(forKey: watch) ?? []
    for place in lost { watches[place] = nil }
    return lost
  }
}

extension String {
  /// Whether this path is `path` or lies below it.
  func isAt(orUnder path: String) -> Bool {
    guard utf8.starts(with: path.utf8) else { return false }
    return path == "/" || utf8.count == path.utf8.count
      || utf8.dropFirst(path.utf8.count).first == UInt8(ascii: "/")
  }
}
