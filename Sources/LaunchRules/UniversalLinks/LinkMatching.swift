/// The result of an association file for one URL and one application, with the deciding component.
package struct LinkMatch: Hashable, Sendable {
  package enum Verdict: Hashable, Sendable {
    case matched
    /// A component with `exclude`, or a path with `NOT`, matches.
    case blocked
    case notMatched
    /// The file does not list the application.
    case notListed
    /// The comparison exceeds the budget of steps for one URL.
    case tooMuchWork
  }

  /// The position of a component in the file.
  package struct Place: Hashable, Sendable {
    package let detail: Int
    package let component: Int
    package let isOfPaths: Bool

    package var keyPath: String {
      "details[\(detail)].\(isOfPaths ? "paths" : "components")[\(component)]"
    }
  }

  package enum Part: Hashable, Sendable {
    case path
    case query
    case queryItem(String)
    case fragment
  }

  /// A component that did not match, with its first part that did not match.
  package struct Miss: Hashable, Sendable {
    package let place: Place
    package let part: Part
    package let pattern: String
  }

  package let verdict: Verdict
  /// The deciding component.
  package let place: Place?
  /// The components before it, in order. A long list is truncated.
  package let misses: [Miss]

  package static let mostMisses = 32
}

extension AssociationFile {
  /// The number of comparison steps for one URL, for all applications that declare its host together. A step
  /// takes up to about 35 ns in an optimized build, so a file blocks the daemon for at most 5 ms. Typical
  /// files need some thousand steps.
  package static let budget = 100_000
  /// Cost of a component besides its patterns, in steps.
  private static let componentCost = 10

  /// Returns the result of the first matching component (R8.11). Details of other applications are ignored.
  package func match(_ url: LinkURL, for application: LinkedApplication) -> LinkMatch {
    var budget = Self.budget
    return match(url, for: application, budget: &budget)
  }

  /// - Parameter budget: the remaining budget.
  func match(
    _ url: LinkURL, for application: LinkedApplication, budget: inout Int
  ) -> LinkMatch {
    var misses: [LinkMatch.Miss] = []
    var isListed = false
    for (detailIndex, detail) in details.enumerated()
    where detail.applications.contains(application) {
      isListed = true
      for (index, component) in detail.components.enumerated() {
        let place = LinkMatch.Place(
          detail: detailIndex, component: index, isOfPaths: component.isOfPaths)
        var matching = ComponentMatching(
          component, in: detail, of: self, budget: budget - Self.componentCost)
        let miss = matching.firstMiss(in: url)
        budget = matching.patterns.budget
        if budget < 0 { return LinkMatch(verdict: .tooMuchWork, place: place, misses: misses) }
        guard let (part, pattern) = miss else {
          return LinkMatch(
            verdict: component.excludes ? .blocked : .matched, place: place, misses: misses)
        }
        if misses.count < LinkMatch.mostMisses {
          misses.append(LinkMatch.Miss(place: place, part: part, pattern: pattern.text))
        }
      }
    }
    return LinkMatch(verdict: isListed ? .notMatched : .notListed, place: nil, misses: misses)
  }
}

/// The comparison of one component with one URL (R8.9, R8.10).
private struct ComponentMatching {
  let component: AssociationFile.Component
  let percentEncoded: Bool
  var patterns: PatternMatching

  init(
    _ component: AssociationFile.Component, in detail: AssociationFile.Detail,
    of file: AssociationFile, budget: Int
  ) {
    self.component = component
    let levels =
      component.isOfPaths ? [] : [component.comparison, detail.defaults, file.defaults]
    percentEncoded = levels.lazy.compactMap(\.percentEncoded).first ?? true
    patterns = PatternMatching(
      variables: file.variables,
      caseSensitive: levels.lazy.compactMap(\.caseSensitive).first ?? true, budget: budget)
  }

  /// The first part that does not match; nil when all parts match.
  mutating func firstMiss(in url: LinkURL) -> (LinkMatch.Part, LinkPattern)? {
    if let pattern = component.path, !matches(pattern, path: url.comparedPath) {
      return (.path, pattern)
    }
    switch component.query {
    case nil: break
    case .whole(let pattern)?:
      guard matches(pattern, url.query) else { return (.query, pattern) }
    case .items(let items)?:
      for item in items where !matches(item, url.items) {
        return (.queryItem(item.name), item.pattern)
      }
    }
    if let pattern = component.fragment, !matches(pattern, url.fragment) {
      return (.fragment, pattern)
    }
    return nil
  }

  private mutating func matches(_ pattern: LinkPattern, _ part: LinkURL.Part) -> Bool {
    patterns.matches(pattern, part.text(percentEncoded: percentEncoded))
  }

  private mutating func matches(_ pattern: LinkPattern, path: LinkURL.Part) -> Bool {
    let pattern = pattern.asPath
    if matches(pattern, path) { return true }
    return pattern.withoutLastFolder.map { matches($0, path) } ?? false
  }

  /// Whether all items with the name match. A missing item is treated as empty (R8.13).
  private mutating func matches(
    _ item: AssociationFile.Query.Item, _ items: [LinkURL.Item]
  ) -> Bool {
    let values = items.filter {
      $0.name.text(percentEncoded: percentEncoded) == item.name
    }.map(\.value)
    patterns.budget -= items.count
    for value in values where !matches(item.pattern, value) { return false }
    return !values.isEmpty || patterns.matches(item.pattern, "")
  }
}

extension LinkMatch.Part: CustomStringConvertible {
  package var description: String {
    switch self {
    case .path: "the path"
    case .query: "the query"
    case .queryItem(let name): "the query item \(name)"
    case .fragment: "the fragment"
    }
  }
}

extension LinkMatch {
  /// The reason of the result, as a sentence without its full stop.
  package var reason: String {
    switch (verdict, place) {
    case (.matched, let place?): "\(place.keyPath) matches"
    case (.blocked, let place?): "\(place.keyPath) matches, and excludes it"
    case (.tooMuchWork, let place?):
      "comparing up to \(place.keyPath) takes too long; make the patterns of the file simpler"
    case (.notListed, _): "the file does not list the application"
    default:
      if let last = misses.last {
        "no component matches; \(last.place.keyPath) is the last, where \(last.sentence)"
      } else {
        "the file has no component for the application"
      }
    }
  }
}

extension LinkMatch.Miss {
  package var sentence: String { "\(part) does not match \(pattern)" }
}
