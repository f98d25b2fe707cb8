// Applications by the names that people give them, as `open -a` does.

extension Registry {
  /// Those that are called so, without regard to case, best first: by what the name is of, then as
  /// handlers that claim alike.
  ///
  /// Looks at every application.
  package func applications(named name: String) -> [InstalledApplication] {
    let wanted = name.lowercased()
    let found = records.compactMap(\.application).compactMap { application in
      application.part(named: wanted).map { (part: $0, application: application) }
    }
    return found.sorted { left, right in
      if left.part != right.part { return left.part < right.part }
      let (one, other) = (left.application, right.application)
      if one.isSystem != other.isSystem { return one.isSystem }
      let orders = (policy.order(of: one), policy.order(of: other))
      return orders.0 != orders.1 ? orders.0 < orders.1 : one.identifier < other.identifier
    }.map(\.application)
  }

  /// All copies at a bundle or property list; at most one.
  package func applications(at path: String) -> [InstalledApplication] {
    let places = [path, path + "/Contents/Info.plist", path + "/Info.plist"]
    return places.lazy.compactMap(application(at:)).first.map { [$0] } ?? []
  }
}

extension InstalledApplication {
  /// The bundle, or the property list that stands alone.
  package var bundle: String { folder.hasSuffix(".app") ? folder : propertyList }

  /// What a name can be of, best first.
  fileprivate enum NamePart: Int, Comparable {
    case bundle
    case displayName
    case name
    case executable

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  }

  /// - Parameter wanted: in lower case.
  fileprivate func part(named wanted: String) -> NamePart? {
    let file = bundle.lastComponent.lowercased()
    if file == wanted || file == wanted + ".app" || file == wanted + ".plist" { return .bundle }
    if declaration.displayName?.lowercased() == wanted { return .displayName }
    if declaration.name?.lowercased() == wanted { return .name }
    // What `ProgramArguments` begins with may be an interpreter.
    guard case .executable(let candidates) = declaration.program else { return nil }
    return candidates.first?.lastComponent.lowercased() == wanted ? .executable : nil
  }
}

extension String {
  fileprivate var lastComponent: String { split(separator: "/").last.map(String.init) ?? self }
}
