extension MapsURL {
  /// A position, in degrees.
  package struct Coordinate: Hashable, Sendable {
    /// From -90 to 90.
    package let latitude: Double
    /// From -180 to 180.
    package let longitude: Double

    /// Reads `LATITUDE,LONGITUDE`; nil for an invalid text.
    package init?(_ text: String) {
      guard let (latitude, longitude) = pair(text), (-90...90).contains(latitude),
        (-180...180).contains(longitude)
      else { return nil }
      (self.latitude, self.longitude) = (latitude, longitude)
    }
  }

  /// The extent of the visible area, in degrees.
  package struct Span: Hashable, Sendable {
    /// More than 0, at most 180.
    package let latitude: Double
    /// More than 0, at most 360.
    package let longitude: Double

    /// Reads `LATITUDE,LONGITUDE`; nil for an invalid text.
    package init?(_ text: String) {
      guard let (latitude, longitude) = pair(text), latitude > 0, latitude <= 180, longitude > 0,
        longitude <= 360
      else { return nil }
      (self.latitude, self.longitude) = (latitude, longitude)
    }
  }

  /// Two numbers, separated by a comma.
  private static func pair(_ text: String) -> (Double, Double)? {
    let numbers = text.split(separator: ",", omittingEmptySubsequences: false)
      .map { Double(decimal: $0.trimmed) }
    guard numbers.count == 2, let first = numbers[0], let second = numbers[1] else { return nil }
    return (first, second)
  }
}

extension Substring {
  /// The text without blanks at both ends.
  fileprivate var trimmed: String {
    var rest = self
    while rest.first == " " { rest.removeFirst() }
    while rest.last == " " { rest.removeLast() }
    return String(rest)
  }
}
