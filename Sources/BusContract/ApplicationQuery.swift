package import DBus

/// The query of `FindApplications`.
package enum ApplicationQuery: Hashable, Sendable {
  /// The applications that may open the URL, best first, at most 100: those after the application `after`;
  /// from the best when `after` is empty or no longer among them.
  case url(String, after: String = "")
  /// All copies of an application.
  case identifier(String)
  /// The name of the bundle, of the application or of its executable.
  case name(String)
  /// The absolute path of a bundle or of a property list.
  case path(String)
  /// All applications whose identifiers come after this one, at most 100; empty for the first.
  case after(String)

  static let keys = description.keys

  package static let description = DictionaryDescription([
    .init(
      Key.url, "s",
      """
      The applications that can receive this URL, a hundred in a reply; with `after`, those after \
      that application, or the first hundred if that application is not among them any more.
      """),
    .init(Key.bundleIdentifier, "s", "All copies of the application with this identifier."),
    .init(
      Key.name, "s",
      """
      The best hundred applications with this name of the bundle, of the application or of the \
      executable.
      """),
    .init(Key.path, "s", "The application of the bundle or property list at this absolute path."),
    .init(
      Key.after, "s",
      """
      Without `url`: all applications in the order of their identifiers, a hundred in a reply, after \
      this identifier; empty for the first. The reply after the last one is empty.
      """),
  ])

  /// All applications, in the order of their identifiers, or all that may open a URL, best first.
  /// - Parameter ask: sends a call and waits for its reply.
  package static func all<Failure: Error>(
    toOpen url: String? = nil, _ ask: (borrowing Message) throws(Failure) -> [Value]
  ) throws(Failure) -> [Options] {
    var all: [Options] = []
    var pages = 0
    var last = ""
    // An application is returned again if the order changes between two pages.
    var known: Set<String> = []
    while true {
      let query = url.map { Self.url($0, after: last) } ?? .after(last)
      let page = try ask(Contract.findApplications(query)).first?.asOptionsList ?? []
      pages += 1
      guard let next = page.last?[Key.bundleIdentifier]?.asString, next != last, pages < mostPages
      else { return all }
      all += page.filter { known.insert($0[Key.bundleIdentifier]?.asString ?? "").inserted }
      last = next
    }
  }

  /// Limit that ends the loop if the order never stops changing; more pages than any registry has.
  private static let mostPages = 10_000

  init(_ reader: OptionReader) throws(BusError) {
    let (url, identifier) = (try reader.string(Key.url), try reader.string(Key.bundleIdentifier))
    let (name, path) = (try reader.string(Key.name), try reader.string(Key.path))
    let after = try reader.string(Key.after)
    let given = [
      url.map { Self.url($0, after: after ?? "") }, identifier.map(Self.identifier),
      name.map(Self.name), path.map(Self.path), url == nil ? after.map(Self.after) : nil,
    ].compactMap(\.self)
    guard given.count == 1 else {
      throw .invalidArguments(
        "give one of the options 'url', 'bundle-identifier', 'name', 'path' and 'after', not"
          + " \(given.count)")
    }
    self = given[0]
  }

  package var dictionary: Options {
    switch self {
    case .url(let text, let after):
      after.isEmpty
        ? [Key.url: .string(text)] : [Key.url: .string(text), Key.after: .string(after)]
    case .identifier(let text): [Key.bundleIdentifier: .string(text)]
    case .name(let text): [Key.name: .string(text)]
    case .path(let text): [Key.path: .string(text)]
    case .after(let text): [Key.after: .string(text)]
    }
  }
}
