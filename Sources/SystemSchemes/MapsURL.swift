internal import LaunchRules

/// `http://maps.apple.com/?…`: a request to show something on the map (R9.13–R9.16).
///
/// `+` in a value means a space. Parameters that are not allowed are dropped, with a note.
package struct MapsURL: URLFormat {
  package static let schemes = ["http", "https"]
  package static let hosts = ["maps.apple.com"]
  package static let readsPlusAsSpace = true

  package enum MapType: String, Hashable, Sendable {
    case standard = "m"
    case satellite = "k"
    case hybrid = "h"
    case transit = "r"
  }

  package enum Transport: String, Hashable, Sendable {
    case car = "d"
    case foot = "w"
    case transit = "r"
  }

  /// The action that the link requests.
  package enum Request: Hashable, Sendable {
    /// Directions; a nil `source` is the current position.
    case directions(source: String?, destination: String)
    case place(Place, label: String?)
    /// A search; a nil `text` shows the surroundings of `searchLocation`.
    case search(String?)
    /// The map alone.
    case map
  }

  package enum Place: Hashable, Sendable {
    case coordinate(Coordinate)
    case address(String)
  }

  /// The valid parameters, of which every combination is allowed.
  private let values: [MapsParameter: String]
  package let notes: [FormatNote]

  package init(_ parts: URLParts) throws(FormatProblem) {
    var notes = parts.notes
    var values: [MapsParameter: String] = [:]
    for item in parts.query ?? [] {
      guard let parameter = MapsParameter(rawValue: item.name) else {
        notes.add(item.name.quoted, "dropped: it is not a parameter of Maps (R9.14)")
        continue
      }
      if let problem = parameter.problem(with: item.value) {
        notes.add(parameter.rawValue, "dropped: \(problem) (R9.14)")
      } else if values.updateValue(item.value, forKey: parameter) != nil {
        notes.add(parameter.rawValue, "given more than once: the last one counts")
      }
    }
    for constraint in MapsConstraint.all where constraint.forbids(Set(values.keys)) {
      values[constraint.dropped] = nil
      notes.add(constraint.dropped.rawValue, "dropped: \(constraint.reason) (R9.14)")
    }
    self.values = values
    self.notes = notes.list
  }

  package var request: Request {
    if let destination = values[.destination] {
      return .directions(source: values[.source], destination: destination)
    }
    if let center = values[.center].flatMap(Coordinate.init) {
      return .place(.coordinate(center), label: values[.query])
    }
    if let address = values[.address] { return .place(.address(address), label: values[.query]) }
    if values[.query] != nil || values[.searchLocation] != nil { return .search(values[.query]) }
    return .map
  }

  /// Nil for the current map type.
  package var mapType: MapType? { values[.mapType].flatMap(MapType.init) }
  /// Nil for the user's preferred transport.
  package var transport: Transport? { values[.transport].flatMap(Transport.init) }
  /// The centre of the search.
  package var searchLocation: Coordinate? { values[.searchLocation].flatMap(Coordinate.init) }
  /// The area around `searchLocation`.
  package var searchSpan: Span? { values[.searchSpan].flatMap(Span.init) }
  /// Used without a `searchLocation`.
  package var near: Coordinate? { values[.near].flatMap(Coordinate.init) }
  /// The area around the coordinate of the place.
  package var span: Span? { values[.span].flatMap(Span.init) }
  /// From 2 to 21.
  package var zoom: Double? { values[.zoom].flatMap(Double.init(decimal:)) }

  package var sentence: String {
    switch request {
    case .directions(let source, let destination):
      "shows the way from \(source.map(\.quoted) ?? "here") to \(destination.quoted)"
    case .place(let place, let label):
      "shows \(place)" + (label.map { ", named \($0.quoted)" } ?? "")
    case .search(let text): "searches for " + (text.map(\.quoted) ?? "what is at sll")
    case .map: "shows the map"
    }
  }
}

extension MapsURL.Place: CustomStringConvertible {
  package var description: String {
    switch self {
    case .coordinate(let place): "\(place.latitude),\(place.longitude)"
    case .address(let text): text.quoted
    }
  }
}
