/// The user's choices of the protocols in which running applications get URLs.
package struct HandOverChoices: Codable, Hashable, Sendable {
  /// The choices in the form of `HandOverTable.Entry.words`, by desktop file ID; `none` starts a second process.
  package private(set) var choices: [String: [String]] = [:]

  package init() {}

  /// Maximum number of choices.
  package static let most = 1000

  package subscript(_ identifier: String) -> Choice? {
    get { choices[identifier].flatMap(Choice.init) }
    set { choices[identifier] = newValue?.words }
  }

  package enum Choice: Hashable, Sendable {
    /// A second process gets each URL.
    case none
    case entry(HandOverTable.Entry)

    /// Nil for other words than those of `words`.
    package init?(_ words: [String]) {
      if words == [Self.noneWord] {
        self = .none
      } else if let entry = HandOverTable.Entry(words) {
        self = .entry(entry)
      } else {
        return nil
      }
    }

    package static let noneWord = "none"

    package var words: [String] {
      switch self {
      case .none: [Self.noneWord]
      case .entry(let entry): entry.words
      }
    }
  }

  /// The file of the choices, below the folder for configuration.
  package static let file = "launch-services/handover.plist"
  /// Maximum size of the file, in bytes.
  package static let largestFile = 1 << 20

  /// The entry that counts for an application: the user's choice, else that of the property list, else that of the table.
  /// - Parameter declared: the entry of the property list.
  package func entry(
    for identifier: String, declared: HandOverTable.Entry? = nil
  ) -> HandOverTable.Entry? {
    switch self[identifier] {
    case .none?: nil
    case .entry(let entry)?: entry
    case nil: declared ?? HandOverTable.entry(for: identifier)
    }
  }
}

extension HandOverTable.Entry {
  /// The protocol and the place of an application, as people write them:
  ///
  ///     gtk-open NAME
  ///     mozilla-remote APPLICATION FOLDER...
  ///     chromium-singleton FOLDER
  ///     electron-singleton FOLDER
  ///     qt-local-peer SOCKET
  ///     telegram FOLDER
  ///     libreoffice FOLDER
  ///     tauri NAME
  ///     wails NAME
  ///
  /// `NAME` is a bus name; with `*` at its end, each name that begins so. A folder of `mozilla-remote` is below the home
  /// folder, or below the folder for configuration if it begins with `.config/`, and that of `telegram` below the folder for data; all other folders, and the path of a socket, are below the
  /// folder for configuration.
  package init?(_ words: [String]) {
    guard let way = words.first.flatMap(HandOverProtocol.init) else { return nil }
    let rest = Array(words.dropFirst())
    guard !rest.contains(where: { $0.isEmpty || $0.contains("..") || $0.hasPrefix("/") }) else {
      return nil
    }
    switch (way, rest.count) {
    case (.mozillaRemote, 2...):
      guard rest[0].allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) else { return nil }
      self.init(handOver: way, place: .profile(of: rest[0], in: Array(rest.dropFirst())))
    case (.chromiumSingleton, 1), (.electronSingleton, 1):
      self.init(handOver: way, place: .singleton(folder: rest[0]))
    case (.qtLocalPeer, 1): self.init(handOver: way, place: .socket(path: rest[0]))
    case (.telegram, 1), (.libreOffice, 1):
      // The checksum is that of the path without a final slash.
      guard !rest[0].hasSuffix("/") else { return nil }
      self.init(handOver: way, place: .socketOf(folder: rest[0]))
    case (.gtkOpen, 1), (.gtkCommandLine, 1), (.kdeCommandLine, 1), (.mumble, 1), (.hexchat, 1),
      (.tauri, 1), (.wails, 1):
      let name = rest[0]
      let isBeginning = name.hasSuffix("*")
      let text = isBeginning ? String(name.dropLast()) : name
      guard text.contains("."), Self.isName(text) else { return nil }
      self.init(
        handOver: way,
        place: isBeginning
          ? .beginning(text) : way == .kdeCommandLine ? .numbered(text) : .exactly(text))
    default: return nil
    }
  }

  package var words: [String] {
    switch place {
    case .exactly(let name), .numbered(let name): [handOver.rawValue, name]
    case .beginning(let text): [handOver.rawValue, text + "*"]
    case .profile(let application, let folders): [handOver.rawValue, application] + folders
    case .singleton(let folder), .socketOf(let folder): [handOver.rawValue, folder]
    case .socket(let path): [handOver.rawValue, path]
    }
  }

  /// Whether the text consists of the characters of bus names.
  private static func isName(_ text: String) -> Bool {
    text.utf8.count <= 255 && !text.hasPrefix(".") && !text.hasPrefix(":")
      && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) }
  }
}
