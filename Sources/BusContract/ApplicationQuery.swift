package import DBus

/// Which applications `FindApplications` is asked for.
package enum ApplicationQuery: Hashable, Sendable {
  /// Those that may get it.
  case url(String)
  /// All copies.
  case identifier(String)
  /// Of the bundle, the application or its executable.
  case name(String)
  /// Absolute: of a bundle or a property list.
  case path(String)

  static let keys: Set<String> = [Key.url, Key.bundleIdentifier, Key.name, Key.path]

  init(_ reader: OptionReader) throws(BusError) {
    let (url, identifier) = (try reader.string(Key.url), try reader.string(Key.bundleIdentifier))
    let (name, path) = (try reader.string(Key.name), try reader.string(Key.path))
    let given = [
      url.map(Self.url), identifier.map(Self.identifier), name.map(Self.name),
      path.map(Self.path),
    ].compactMap(\.self)
    guard given.count == 1 else {
      throw .invalidArguments(
        "give one of the options 'url', 'bundle-identifier', 'name' and 'path', not \(given.count)")
    }
    self = given[0]
  }

  package var dictionary: Options {
    switch self {
    case .url(let text): [Key.url: .string(text)]
    case .identifier(let text): [Key.bundleIdentifier: .string(text)]
    case .name(let text): [Key.name: .string(text)]
    case .path(let text): [Key.path: .string(text)]
    }
  }
}
