internal import LaunchRules

/// The parameters of a Maps link, and their valid values (R9.14).
enum MapsParameter: String, Hashable, Sendable, CaseIterable {
  case mapType = "t"
  case query = "q"
  case address
  case near
  case center = "ll"
  case zoom = "z"
  case span = "spn"
  case source = "saddr"
  case destination = "daddr"
  case transport = "dirflg"
  case searchLocation = "sll"
  case searchSpan = "sspn"

  /// The reason why the parameter is dropped; nil for a valid value.
  func problem(with value: String) -> String? {
    switch self {
    case .query:
      if value == "*" { return "q=* is not supported" }
      return value.isEmpty ? "it is empty" : nil
    case .address, .source, .destination: return value.isEmpty ? "it is empty" : nil
    case .mapType:
      return MapsURL.MapType(rawValue: value) == nil
        ? "\(value.quoted) is not m, k, h or r; the current map type is used" : nil
    case .transport:
      return MapsURL.Transport(rawValue: value) == nil
        ? "\(value.quoted) is not d, w or r; the user's usual way to travel is used" : nil
    case .zoom:
      guard let zoom = Double(decimal: value), (2...21).contains(zoom) else {
        return "\(value.quoted) is not a number from 2 to 21"
      }
      return nil
    case .near, .center, .searchLocation:
      return MapsURL.Coordinate(value) == nil
        ? "\(value.quoted) is not a latitude and a longitude, as in 50.894967,4.341626" : nil
    case .span, .searchSpan:
      return MapsURL.Span(value) == nil
        ? "\(value.quoted) is not two distances in degrees, as in 0.5,0.5" : nil
    }
  }
}

/// A combination of parameters that Maps does not allow; one of them is dropped (R9.14–R9.16).
///
/// Apple does not document how Maps handles such links; dropping a parameter is a decision of this project.
struct MapsConstraint: Sendable {
  let dropped: MapsParameter
  /// The parameter is dropped unless one of these is present.
  var needs: Set<MapsParameter> = []
  /// The parameter is dropped if one of these is present.
  var excludes: Set<MapsParameter> = []
  let reason: String

  /// Applied in this order: a dropped parameter no longer affects later constraints.
  static let all: [MapsConstraint] = [
    .init(dropped: .span, needs: [.center], reason: "it is the span around ll, which is missing"),
    .init(
      dropped: .searchSpan, needs: [.searchLocation],
      reason: "it is the span around sll, which is missing"),
    .init(
      dropped: .zoom, needs: [.searchLocation],
      reason: "the zoom z is used only with sll, which is missing"),
    .init(
      dropped: .zoom, excludes: [.span, .searchSpan],
      reason: "the URL also has spn or sspn, which take precedence over z"),
    .init(
      dropped: .near, excludes: [.searchLocation],
      reason: "the URL also has sll, which takes precedence"),
    .init(dropped: .near, needs: [.query], reason: "it is a hint for a search, and q is missing"),
    .init(
      dropped: .address, excludes: [.center], reason: "the URL also has ll, which takes precedence"),
    .init(
      dropped: .source, needs: [.destination], reason: "directions need daddr, which is missing"),
    .init(
      dropped: .transport, needs: [.destination], reason: "directions need daddr, which is missing"),
  ]

  func forbids(_ present: Set<MapsParameter>) -> Bool {
    present.contains(dropped)
      && (!needs.isEmpty && needs.isDisjoint(with: present) || !excludes.isDisjoint(with: present))
  }
}

extension Double {
  /// Nil unless the text consists of digits with an optional sign and point.
  init?(decimal text: String) {
    guard text.allSatisfy({ $0.isASCIIDigit || "+-.".contains($0) }), let number = Double(text)
    else { return nil }
    self = number
  }
}
