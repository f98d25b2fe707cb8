/// Checks a property list in combination with the registered applications, before it is registered.
package struct RegistryLint {
  private let application: InstalledApplication
  private let registry: Registry
  /// The registry including the application.
  private let result: Registry
  private let files: [String]

  /// - Parameter files: names of the files beside the property list.
  package init(_ application: InstalledApplication, in registry: Registry, files: [String]) {
    self.application = application
    self.registry = registry
    self.files = files
    var result = registry
    result.install(application)
    self.result = result
  }

  private var declaration: ApplicationDeclaration { application.declaration }
  private var identifier: BundleIdentifier { application.identifier }

  package var diagnostics: [Diagnostic] {
    identifierDiagnostics + claimDiagnostics + typeDiagnostics
      + quickActionDiagnostics + files.sorted().compactMap(image)
  }

  private func diagnostic(
    _ severity: Diagnostic.Severity, _ keyPath: String, _ problem: String, _ consequence: String
  ) -> Diagnostic {
    Diagnostic(
      severity, file: application.propertyList, keyPath: keyPath, problem: problem,
      consequence: consequence)
  }

  // MARK: The identifier

  private var identifierDiagnostics: [Diagnostic] {
    let key = "CFBundleIdentifier"
    let parts = identifier.text.utf8.split(
      separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    var found: [Diagnostic] = []
    if parts.count < 2 || parts.contains(where: \.isEmpty) {
      found.append(
        diagnostic(
          .warning, key, "\(identifier) is not in reverse DNS form",
          "another application may have the same identifier: begin it with a domain of yours, such as"
            + " com.example.\(identifier.text.lowercased())"))
    }
    let others = registry.copies(of: identifier).filter {
      $0.propertyList != application.propertyList
    }
    if let other = others.first, let used = result.application(identifier) {
      found.append(
        diagnostic(
          .warning, key, "\(other.propertyList) has the identifier \(identifier), too",
          "\(used.propertyList) is used when both are registered: remove one, or change its identifier"
        ))
    }
    return found
  }

  // MARK: Claims

  private var claimed: [URLScheme] { declaration.urlTypes.flatMap(\.schemes) }

  private var claimDiagnostics: [Diagnostic] {
    // Examining a candidate takes time proportional to its property list, so most schemes are skipped.
    let notable = claimed.filter {
      Registry.neverDispatched.contains($0) || result.candidateCount(for: $0) > 1
    }
    let told = notable.prefix(Self.mostToldOf).compactMap(claim)
    guard notable.count > Self.mostToldOf else { return told }
    let rest = notable.count - Self.mostToldOf
    return told + [
      diagnostic(
        .note, "CFBundleURLTypes",
        "\(rest) more schemes are claimed by other applications, too, or have no effect",
        "these schemes are not listed here; use 'lsregister handlers SCHEME'")
    ]
  }

  private func claim(_ scheme: URLScheme) -> Diagnostic? {
    let key = "CFBundleURLTypes"
    guard !Registry.neverDispatched.contains(scheme) else {
      return diagnostic(
        .warning, key, "the scheme \(scheme) never leaves the application that shows its URLs",
        "the claim has no effect: claim a scheme of your own (R2.10)")
    }
    let candidates = result.candidates(for: scheme, most: Self.mostLookedAt)
    let others = candidates.filter { $0.identifier != identifier && $0.claimsScheme }
    guard !others.isEmpty else { return nil }
    let mayBeChosen = declaration.mayBeChosen(for: scheme)
    if !application.isSystem, !mayBeChosen, let system = others.first(where: \.isSystem) {
      return diagnostic(
        .warning, key, "the scheme \(scheme) is reserved for \(system.identifier)",
        isOpenedFromMacOS(scheme)
          ? "\(identifier) gets only the URLs that applications of macOS open (R2.10)"
          : "the claim has no effect: claim a scheme of your own (R2.8)")
    }
    let problem =
      "\(Self.list(others.map(\.identifier))) \(others.count == 1 ? "claims" : "claim") the scheme \(scheme), too"
    switch result.route(scheme) {
    case .handler(let winner) where winner.identifier == identifier:
      return diagnostic(
        .note, key, problem, "\(identifier) gets the URLs: \(winner.reason)")
    case .handler(let winner):
      let reason = candidates.first { $0.identifier == identifier }?.reason ?? winner.reason
      return diagnostic(
        .warning, key, problem,
        "\(winner.identifier) gets the URLs: \(reason);"
          + (isOpenedFromMacOS(scheme)
            ? " \(identifier) gets those that applications of macOS open (R2.10);" : "")
          + " 'lsregister default \(scheme) \(identifier)' chooses this one")
    case .ambiguous:
      return diagnostic(
        .warning, key, problem,
        "no application gets the URLs, because the setting CollisionPolicy requires a choice:"
          + " 'lsregister default \(scheme) \(identifier)' chooses this one")
    case .notFound: return nil
    }
  }

  /// Whether the application gets the URLs of the scheme that applications of macOS open.
  private func isOpenedFromMacOS(_ scheme: URLScheme) -> Bool {
    let opener = ApplicationDeclaration(identifier: identifier, platform: .macOS)
    let handler = try? result.handler(of: OpenTarget(scheme: scheme), for: opener)
    return handler?.application.identifier == identifier
  }

  /// Maximum number of candidates to examine per scheme.
  private static let mostLookedAt = 50
  /// Maximum number of schemes to report per property list.
  private static let mostToldOf = 50
  private static let mostNamed = 3

  private static func list(_ identifiers: [BundleIdentifier]) -> String {
    let named = identifiers.prefix(mostNamed).map(\.text).joined(separator: ", ")
    let rest = identifiers.count - mostNamed
    return rest > 0 ? "\(named) and \(rest) more" : named
  }

  // MARK: Types

  /// Types of documents that neither this application nor another one declares. Reserved types are Apple's, which has
  /// more of them than Core Types.
  private var typeDiagnostics: [Diagnostic] {
    // Without Core Types, it is not known which types are declared.
    guard TypeIdentifier("public.png").map(result.types.isKnown) == true else { return [] }
    var seen: Set<TypeIdentifier> = []
    return declaration.documents.types.flatMap(\.contentTypes).compactMap { type in
      guard !type.isReserved, !result.types.isKnown(type), seen.insert(type).inserted else {
        return nil
      }
      return diagnostic(
        .note, "CFBundleDocumentTypes", "no application declares the type \(type)",
        "no file has the type: declare it with UTImportedTypeDeclarations, or with"
          + " UTExportedTypeDeclarations if it is yours (R1.21)")
    }
  }

  // MARK: Displayed items

  private var quickActionDiagnostics: [Diagnostic] {
    let count = declaration.shortcutItems.count
    guard count > QuickActionMenu.mostShown else { return [] }
    return [
      diagnostic(
        .warning, "UIApplicationShortcutItems",
        "has \(count) quick actions, and \(QuickActionMenu.mostShown) are shown",
        "the last \(count - QuickActionMenu.mostShown) are never seen: remove them (R1.40)")
    ]
  }

  private func image(_ file: String) -> Diagnostic? {
    let basename = declaration.launchImageName
    guard declaration.platform == .iOS, !isShown(file) else { return nil }
    if let name = LaunchImage.corrected(file, basename: basename), name != file,
      LaunchImage.isMeant(name, basename: basename), isShown(name)
    {
      let isPNG = file.lowercased().hasSuffix(LaunchImage.suffix)
      return diagnostic(
        .note, "", "\(file.quoted) is not the name of a launch image",
        "it is never shown: \(isPNG ? "rename it to" : "save it as the PNG image") \(name.quoted), or"
          + " remove it (R1.41)")
    }
    guard LaunchImage.isMeant(file, basename: basename) else { return imageOfUsualName(file) }
    let scheme = LaunchImage.scheme(inName: file, basename: basename)
    if let scheme, !claimed.contains(where: { $0.text == scheme.lowercased() }) {
      return diagnostic(
        .note, "",
        "\(file.quoted) is the launch image of the scheme \(scheme), which is not claimed",
        "it is never shown: name it by a scheme that is claimed, or remove it (R1.41)")
    }
    return diagnostic(
      .note, "", "\(file.quoted) is not the name of a launch image",
      "it is never shown: after the scheme, name the height -568h, the orientation, the scale @2x or @3x and"
        + " the device ~iphone or ~ipad, in this order, or remove the file (R1.41)")
  }

  /// An image of a claimed scheme, named as if the property list named no base name.
  private func imageOfUsualName(_ file: String) -> Diagnostic? {
    let (usual, basename) = (LaunchImage.usualName, declaration.launchImageName)
    guard claimed.contains(where: { LaunchImage.canBeShown(file, basename: usual, for: $0) }) else {
      return nil
    }
    let name = LaunchImage.withoutSuffix(basename) + file.dropFirst(usual.count)
    return diagnostic(
      .note, "", "\(file.quoted) is not the name of a launch image",
      "it is never shown: rename it to \(name.quoted), because UILaunchImageFile is \(basename.quoted), or"
        + " remove it (R1.41)")
  }

  /// Whether the file is a launch image that some URL shows.
  private func isShown(_ file: String) -> Bool {
    let basename = declaration.launchImageName
    return claimed.contains { LaunchImage.canBeShown(file, basename: basename, for: $0) }
      || LaunchImage.names(basename: basename).contains(file)
  }
}

extension LaunchImage {
  /// The name of the file with the base name in the right case and the suffix of PNG images; nil for files with another
  /// base name, and for files that are no images.
  static func corrected(_ file: String, basename: String) -> String? {
    let start = withoutSuffix(basename)
    let name = file.lowercased()
    guard name.hasPrefix(start.lowercased()),
      let format = [suffix, ".jpg", ".jpeg"].first(where: name.hasSuffix)
    else { return nil }
    return start + file.dropFirst(start.count).dropLast(format.count) + suffix
  }

  /// Whether the file is meant to be a launch image: its name goes on after the base name with a modifier.
  static func isMeant(_ file: String, basename: String) -> Bool {
    let start = withoutSuffix(basename)
    guard file.hasPrefix(start), file.lowercased().hasSuffix(suffix) else { return false }
    return file.dropFirst(start.count).first.map("-@~".contains) ?? false
  }

  /// Whether the file is shown for some spelling of the scheme. Only the scheme has several spellings.
  static func canBeShown(_ file: String, basename: String, for scheme: URLScheme) -> Bool {
    let spelling = String(
      file.dropFirst(withoutSuffix(basename).count + 1).prefix(scheme.text.count))
    return spelling.lowercased() == scheme.text
      && names(basename: basename, scheme: spelling).contains(file)
  }

  /// The scheme that the file is the launch image for; nil for other files.
  static func scheme(inName file: String, basename: String) -> String? {
    let start = withoutSuffix(basename)
    guard file.hasPrefix(start + "-"), file.hasSuffix(suffix) else { return nil }
    var parts = file.dropFirst(start.count + 1).dropLast(suffix.count)
    for end in ["~iphone", "~ipad", "@2x", "@3x"] where parts.hasSuffix(end) {
      parts = parts.dropLast(end.count)
    }
    let names = parts.split(separator: "-", omittingEmptySubsequences: false).filter { part in
      let isHeight = part.last == "h" && part.count > 1 && part.dropLast().allSatisfy(\.isNumber)
      return !isHeight && !orientations.contains(String(part))
    }
    let scheme = names.joined(separator: "-")
    return URLScheme(scheme) == nil ? nil : scheme
  }

  private static let orientations: Set = [
    "Portrait", "PortraitUpsideDown", "Landscape", "LandscapeLeft", "LandscapeRight",
  ]
}
