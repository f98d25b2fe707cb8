internal import LaunchRules

/// Reads components, and the defaults for parts that a component does not have.
extension ContentsReading {
  /// An object whose parts apply to a component: the component itself, or `defaults` of its detail or of the
  /// domain.
  struct Level {
    let object: [String: JSONValue]
    let place: String
  }

  private static let parts = ["/", "?", "#", "exclude"]
  private static let dropped = "the whole component was ignored"

  /// According to the record of `swcutil`, `defaults` may have the same keys as a component (R8.7).
  mutating func partDefaults(_ value: JSONValue?, _ place: String) -> Level? {
    guard let value, let object = object(value, place) else { return nil }
    reportUnknown(object, place, Self.parts + Self.comparisons)
    return Level(object: object, place: place)
  }

  /// Nil for an invalid component: without its invalid part it would match more than intended.
  /// - Parameter defaults: the objects that apply to missing parts, highest precedence first.
  mutating func component(
    _ value: JSONValue, _ place: String, _ defaults: [Level]
  ) -> AssociationFile.Component? {
    guard let object = object(value, place) else { return nil }
    reportUnknown(object, place, Self.parts + Self.comparisons)
    let levels = [Level(object: object, place: place)] + defaults
    do throws(Odd) {
      var component = AssociationFile.Component(
        path: try part("/", levels), query: try query(levels), fragment: try part("#", levels),
        excludes: try excludes(levels), comparison: comparison(of: object, place))
      if case .text(let comment)? = object["comment"] { component.comment = comment }
      return component
    } catch {
      return nil
    }
  }

  /// A part is invalid; the diagnostics report it.
  private struct Odd: Error {}

  private mutating func part(_ name: String, _ levels: [Level]) throws(Odd) -> LinkPattern? {
    guard let level = levels.first(where: { $0.object[name] != nil }),
      let value = level.object[name]
    else { return nil }
    return try pattern(value, "\(level.place).\(name)")
  }

  private mutating func query(_ levels: [Level]) throws(Odd) -> AssociationFile.Query? {
    for level in levels {
      let place = "\(level.place).?"
      switch level.object["?"] {
      case nil: continue
      case .object(let items)?:
        if let list = try self.items(items, place) { return .items(list) }
      case let value?: return .whole(try pattern(value, place, "text or an object"))
      }
    }
    return nil
  }

  /// Nil when an item is not text: then none of the items applies (R8.13).
  private mutating func items(
    _ items: [String: JSONValue], _ place: String
  ) throws(Odd) -> [AssociationFile.Query.Item]? {
    let sorted = items.sorted { $0.key < $1.key }
    for (name, value) in sorted {
      if case .text = value { continue }
      wrongKind(
        value, "\(place).\(name)", "text",
        "the whole \"?\" was ignored, as if it were absent (R8.13)")
      return nil
    }
    var list: [AssociationFile.Query.Item] = []
    for (name, value) in sorted { list.append(.init(name, try pattern(value, "\(place).\(name)"))) }
    return list
  }

  private mutating func excludes(_ levels: [Level]) throws(Odd) -> Bool {
    let name = "exclude"
    guard let level = levels.first(where: { $0.object[name] != nil }),
      let value = level.object[name]
    else { return false }
    guard let excludes = boolean(value, "\(level.place).\(name)", Self.dropped) else { throw Odd() }
    return excludes
  }

  private mutating func pattern(
    _ value: JSONValue, _ place: String, _ expected: String = "text"
  ) throws(Odd) -> LinkPattern {
    guard case .text(let text) = value else {
      wrongKind(value, place, expected, Self.dropped)
      throw Odd()
    }
    let pattern = LinkPattern(text)
    for name in pattern.variables
    where !variables.contains(name) && PredefinedVariable(rawValue: name) == nil {
      report(
        .warning, place, "the variable \(name.shown) is not defined",
        "the component matches nothing: add it to \"substitutionVariables\" (R8.15)")
    }
    return pattern
  }
}
