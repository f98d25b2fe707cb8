// Lookup of applications by the names that people use, as in `open -a`.

extension Registry {
  /// The applications with this name, ignoring case, best first: by the kind of name, then by the order of
  /// handlers with equal claims.
  ///
  /// Searches all applications.
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

  /// The application at a bundle or property list; at most one.
  package func applications(at path: String) -> [InstalledApplication] {
    let places = [path, path + "/Contents/Info.plist", path + "/Info.plist"]
    return places.lazy.compactMap(application(at:)).first.map { [$0] } ?? []
  }
}

extension InstalledApplication {
  /// Path of the bundle, or of a loose property list.
  package var bundle: String { folder.hasSuffix(".app") ? folder : propertyList }

  /// The kinds of names, best first.
  fileprivate enum NamePart: Int, Comparable {
    case bundle
    case displayName
    case name
    case executable

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  }

  /// - Parameter wanted: the name in lower case.
  fileprivate func part(named wanted: String) -> NamePart? {
    let file = bundle.lastComponent.lowercased()
    if file == wanted || file == wanted + ".app" || file == wanted + ".plist"
      || origin == .desktopEntry && file == wanted + ".desktop"
    {
      return .bundle
    }
    if declaration.displayName?.lowercased() == wanted { return .displayName }
    if declaration.name?.lowercased() == wanted { return .name }
    if declaration.executableName?.lowercased() == wanted { return .executable }
    // The first entry of `ProgramArguments` may be an interpreter.
    guard case .executable(let candidates) = declaration.program else { return nil }
    return candidates.first?.lastComponent.lowercased() == wanted ? .executable : nil
  }
}

extension String {
  fileprivate var lastComponent: String { split(separator: "/").last.map(String.init) ?? self }
}
