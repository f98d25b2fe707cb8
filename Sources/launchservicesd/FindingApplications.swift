internal import BusContract
internal import DBus
internal import LaunchRules

extension Daemon {
  /// Applications, best first.
  func find(_ query: ApplicationQuery) throws(BusError) -> [InstalledApplication] {
    let registry = dispatcher.registry
    switch query {
    case .url(let text):
      do throws(OpenFailure) {
        let url = try RequestedURL(text, longest: settings.maximumURLLength)
        return registry.candidates(for: url.scheme, host: url.host).compactMap {
          registry.application($0.identifier)
        }
      } catch {
        throw error.busError
      }
    case .identifier(let text):
      return registry.copies(of: try identifier(text, "option 'bundle-identifier'"))
    case .name(let name): return registry.applications(named: name)
    case .path(let path): return registry.applications(at: path)
    case .after(let text):
      let identifiers = identifiersInOrder()
      let start = text.isEmpty ? 0 : identifiers.partition { $0.text <= text }
      return identifiers[start...].prefix(Self.mostAtOnce).compactMap(registry.application)
    }
  }

  private static let mostAtOnce = 250
  /// In bytes. D-Bus has no larger arrays than 64 MiB: who sends one loses his connection.
  private static let largestAnswer = 32 << 20
  private static let largestPage = 4 << 20

  /// In the order of their texts, for who asks for all of them in pieces.
  private func identifiersInOrder() -> [BundleIdentifier] {
    let generation = dispatcher.registry.generation
    if let known = identifierOrder, known.generation == generation { return known.identifiers }
    let identifiers = dispatcher.registry.identifiers.sorted { $0.text < $1.text }
    identifierOrder = (generation, identifiers)
    return identifiers
  }

  /// What the user is shown of applications.
  /// - Parameter isPage: As many of them as make a message of a few megabytes; at least one.
  func describe(
    _ applications: [InstalledApplication], isPage: Bool = false
  ) throws(BusError) -> Value {
    let chosen = dispatcher.registry.documentChoices.filesByApplication
    var (entries, size): ([Options], Int) = ([], 0)
    for application in applications {
      var entry = describe(application)
      entry["chosen-for-files"] = chosen[application.identifier].map(Value.strings)
      size += Value.options(entry).byteCount
      if isPage, size > Self.largestPage, !entries.isEmpty { break }
      guard size <= Self.largestAnswer else {
        throw OpenFailure.limitExceeded(
          "what is known of these applications takes more than \(Self.largestAnswer) bytes; ask"
            + " FindApplications with the option 'after'"
        ).busError
      }
      entries.append(entry)
    }
    return .optionsList(entries)
  }
}

extension Array {
  /// The first place where it no longer holds, which it does for all before.
  fileprivate func partition(_ holds: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if holds(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
