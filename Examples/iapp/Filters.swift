import FoundationEssentials

/// The filters of the Rankings tab; nil for a filter that is not set.
struct Filters: Codable, Equatable {
  private(set) var type: String?
  private(set) var category: String?
  private(set) var region: String?

  /// Ignores values that the pickers do not contain (R10.5).
  init(type: String? = nil, category: String? = nil, region: String? = nil) {
    self.type = type.flatMap { Catalogue.ranks.contains($0) ? $0 : nil }
    self.category = category.flatMap { Catalogue.categories.contains($0) ? $0 : nil }
    self.region = region.flatMap { Catalogue.regions.contains($0) ? $0 : nil }
  }

  /// These filters, with the values that `other` sets.
  func updated(with other: Filters) -> Filters {
    Filters(
      type: other.type ?? type, category: other.category ?? category,
      region: other.region ?? region)
  }

  /// One `name=value` for each filter that is set.
  var chosen: [String] {
    [("type", type), ("category", category), ("region", region)].compactMap { name, value in
      value.map { "\(name)=\($0)" }
    }
  }
}

/// The file in which the filters are stored.
struct FilterStore {
  let file: URL

  init(file: URL) { self.file = file }

  /// Uses `iapp/filters.json` in `$XDG_STATE_HOME`, or in `$HOME/.local/state` if that variable is not an
  /// absolute path.
  init(environment: [String: String]) {
    func folder(_ name: String) -> URL? {
      guard let path = environment[name], path.hasPrefix("/") else { return nil }
      return URL(filePath: path, directoryHint: .isDirectory)
    }
    let home = folder("HOME") ?? FileManager.default.homeDirectoryForCurrentUser
    let state = folder("XDG_STATE_HOME") ?? home.appending(path: ".local/state")
    self.init(file: state.appending(path: "iapp/filters.json"))
  }

  /// Returns no filters when the file does not exist or cannot be read.
  func load() -> Filters {
    guard let contents = try? Data(contentsOf: file),
      let filters = try? JSONDecoder().decode(Filters.self, from: contents)
    else { return Filters() }
    return filters
  }

  func save(_ filters: Filters) throws {
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try encoder.encode(filters).write(to: file, options: .atomic)
  }
}
