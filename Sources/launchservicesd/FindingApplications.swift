internal import BusContract
internal import DBus
internal import LaunchRules

extension Daemon {
  func findApplications(_ query: ApplicationQuery, _ call: PendingCall) {
    answerLater(call) { [self] in
      let isPage =
        switch query {
        case .url, .after: true
        case .identifier, .name, .path: false
        }
      do throws(BusError) {
        return .success([try describe(try await find(query), isPage: isPage)])
      } catch {
        return .failure(error)
      }
    }
  }

  /// Those of a scheme, each with the reason of its place.
  func handlers(_ text: String, _ call: PendingCall) throws(BusError) {
    let scheme = try URLScheme(argument: text)
    answerLater(call) { [self] in
      let registry = registry
      return .success(
        await elsewhere {
          let candidates = registry.candidates(for: scheme)
          return [
            .strings(candidates.map(\.identifier.text)),
            .strings(candidates.map(\.reason.description)),
          ]
        })
    }
  }

  /// For questions that have to look at very many applications: of a registry that does not change meanwhile,
  /// and nobody waits for them.
  private func elsewhere<Answer: Sendable>(
    _ body: @escaping @Sendable () -> Answer
  ) async -> Answer {
    await Task.detached(operation: body).value
  }

  /// Applications, best first. Of very many, as many as are described at once.
  private func find(_ query: ApplicationQuery) async throws(BusError) -> [InstalledApplication] {
    let registry = registry
    switch query {
    case .url(let text, let last):
      let url: RequestedURL
      do throws(OpenFailure) {
        url = try RequestedURL(text, longest: settings.opens.maximumURLLength)
      } catch {
        throw error.busError
      }
      // One that is no longer among them would end the list too early.
      let start =
        last.isEmpty
        ? 0
        : registry.candidateCount(
          for: url.scheme, host: url.host, through: try identifier(last, "option 'after'")) ?? 0
      return registry.candidates(
        for: url.scheme, host: url.host, from: start, most: Self.mostAtOnce
      ).compactMap { registry.application($0.identifier) }
    case .identifier(let text):
      return registry.copies(of: try identifier(text, "option 'bundle-identifier'"))
    case .name(let name):
      return await elsewhere { Array(registry.applications(named: name).prefix(Self.mostAtOnce)) }
    case .path(let path): return registry.applications(at: path)
    case .after(let text):
      let identifiers = await identifiersInOrder()
      let start = text.isEmpty ? 0 : identifiers.partition { $0.text <= text }
      return identifiers[start...].prefix(Self.mostAtOnce).compactMap(registry.application)
    }
  }

  private nonisolated static let mostAtOnce = 100
  /// In bytes. D-Bus has no larger arrays than 64 MiB: who sends one loses his connection.
  private static let largestAnswer = 32 << 20
  private static let largestPage = 4 << 20

  /// In the order of their texts, for who asks for all of them in pieces.
  private func identifiersInOrder() async -> [BundleIdentifier] {
    let registry = registry
    if let known = identifierOrder, known.generation == registry.generation {
      return known.identifiers
    }
    let identifiers = await elsewhere { registry.identifiers.sorted { $0.text < $1.text } }
    identifierOrder = (registry.generation, identifiers)
    return identifiers
  }

  /// What the user is shown of applications.
  /// - Parameter isPage: As many of them as make a message of a few megabytes; at least one.
  func describe(
    _ applications: [InstalledApplication], isPage: Bool = false
  ) throws(BusError) -> Value {
    let chosen = registry.documentChoices.filesByApplication
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
