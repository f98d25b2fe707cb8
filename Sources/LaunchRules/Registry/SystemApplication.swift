/// The system applications whose schemes Apple documents (R2.10), installed or not.
package enum SystemApplication: String, Hashable, Sendable, CaseIterable {
  case safari = "Safari"
  case mail = "Mail"
  case phone = "Phone"
  case faceTime = "FaceTime"
  case messages = "Messages"

  package var name: String { rawValue }
  /// The identifier in the property list that is installed with Launch Services.
  package var identifier: String { "org.launchservices.system." + rawValue }

  package var schemes: [String] {
    switch self {
    case .safari: ["http", "https"]
    case .mail: ["mailto"]
    case .phone: ["tel"]
    case .faceTime: ["facetime", "facetime-audio"]
    case .messages: ["sms"]
    }
  }

  /// Nil when the scheme is not documented.
  package init?(for scheme: URLScheme) {
    guard let found = Self.allCases.first(where: { $0.schemes.contains(scheme.text) }) else {
      return nil
    }
    self = found
  }
}

extension SystemApplication {
  /// The system application for a scheme on the opener's system: before iOS 7 Phone handled FaceTime calls,
  /// on macOS FaceTime dials, and messages and calls without video exist on iOS only (R2.10). Nil for none.
  package init?(for scheme: URLScheme, opener: ApplicationDeclaration?) {
    self.init(for: scheme)
    switch (self, opener?.platform) {
    case (.faceTime, .iOS?):
      if let opener, opener.linkedSDK < LinkedSDK(7) { self = .phone }
    case (.phone, .macOS?): self = .faceTime
    case (.messages, .macOS?): return nil
    case (.faceTime, .macOS?):
      if scheme.text == "facetime-audio" { return nil }
    case (.safari, _), (.mail, _), (.phone, _), (.faceTime, _), (.messages, _): break
    }
  }
}

extension Registry {
  /// The application that gets an open of a URL, and the system application in whose place the open goes to the
  /// default of the desktop, if any. Shared by `canOpenURL` and opens.
  /// - Parameter opener: nil without a property list.
  package func handler(
    of target: OpenTarget, for opener: ApplicationDeclaration?
  ) throws(OpenFailure) -> (application: InstalledApplication, inPlaceOf: InstalledApplication?) {
    let chosen = try handler(try choose(target, for: opener), of: target, for: opener)
    guard chosen.standsForDesktop else { return (chosen, nil) }
    let documented = SystemApplication(for: target.scheme, opener: opener)
    // A system application that was designated passes the URL on, too.
    guard target.designated == nil else {
      if desktopDefault(of: target.scheme) == nil {
        throw .noDesktopApplication(for: target.scheme, documented)
      }
      return (chosen, nil)
    }
    guard let documented else { return (chosen, nil) }
    guard let application = desktopDefault(of: target.scheme) else {
      throw .noDesktopApplication(for: target.scheme, documented)
    }
    return (application, chosen)
  }

  /// The application for a target. The system application on the opener's system need not claim the scheme itself:
  /// FaceTime dials for macOS, also where Phone is missing.
  private func choose(
    _ target: OpenTarget, for opener: ApplicationDeclaration?
  ) throws(OpenFailure) -> InstalledApplication {
    do throws(OpenFailure) {
      return try choose(target)
    } catch {
      guard case .applicationNotFound = error, target.designated == nil, opener != nil,
        SystemApplication(for: target.scheme) != nil
      else { throw error }
      guard let wanted = SystemApplication(for: target.scheme, opener: opener) else {
        throw .notForMacOS(target.scheme)
      }
      guard let application = installed(wanted) else {
        throw .noApplication(for: target.scheme, wanted)
      }
      return application
    }
  }

  private func installed(_ application: SystemApplication) -> InstalledApplication? {
    BundleIdentifier(application.identifier).flatMap(self.application)
  }

  /// The application that the desktop prefers for the scheme; nil when no desktop entry claims it.
  private func desktopDefault(of scheme: URLScheme) -> InstalledApplication? {
    handlers[scheme]?.first { isOfDesktop($0, for: scheme) }?.application
  }

  /// Whether the claim on the scheme is that of a desktop entry.
  func isOfDesktop(_ record: ApplicationRecord, for scheme: URLScheme) -> Bool {
    guard record.isDesktopEntry || record.hasDesktopEntry else { return false }
    return record.isDesktopEntry
      || record.handlingFields(of: scheme)?.claim?.desktopOrder != nil
  }

  /// The candidates for people: without a system application that passes each URL to the default of the desktop. Where such
  /// an application would get the URL, the default of the desktop is first; without a default there is no candidate.
  package func visibleCandidates(for scheme: URLScheme, host: WebHost? = nil) -> [HandlerCandidate]
  {
    let all = candidates(for: scheme, host: host)
    guard SystemApplication(for: scheme) != nil else { return all }
    let others = all.filter { application($0.identifier)?.standsForDesktop != true }
    guard let first = all.first, first.identifier != others.first?.identifier else { return others }
    func isOfDesktop(_ candidate: HandlerCandidate) -> Bool {
      record(of: candidate.identifier).map { self.isOfDesktop($0, for: scheme) } ?? false
    }
    let entries = others.filter(isOfDesktop)
    guard let preferred = entries.first else { return [] }
    let behind = others.filter { !isOfDesktop($0) }
    return [HandlerCandidate(preferred, reason: .desktopDefault)]
      + entries.dropFirst().map { HandlerCandidate($0, reason: .behindDesktopDefault) }
      + behind.map { HandlerCandidate($0, reason: .behindSystem) }
  }

  /// Replaces a system application by the one that handles the scheme for this opener.
  /// - Parameter opener: nil without a property list, in which case nothing is replaced.
  private func handler(
    _ chosen: InstalledApplication, of target: OpenTarget, for opener: ApplicationDeclaration?
  ) throws(OpenFailure) -> InstalledApplication {
    guard target.designated == nil, chosen.isSystem, let opener,
      chosen.identifier
        == SystemApplication(for: target.scheme).flatMap({ BundleIdentifier($0.identifier) })
    else { return chosen }
    guard let wanted = SystemApplication(for: target.scheme, opener: opener) else {
      guard let other = otherHandler(of: target.scheme) else {
        throw .notForMacOS(target.scheme)
      }
      return other
    }
    guard let application = installed(wanted) else {
      throw .noApplication(for: target.scheme, wanted)
    }
    return application
  }

  /// The best handler that is not a system application.
  private func otherHandler(of scheme: URLScheme) -> InstalledApplication? {
    candidates(for: scheme).first { !$0.isSystem }.flatMap { application($0.identifier) }
  }

  /// The declaration that tells on which of Apple's systems an opener runs; nil for the user's own programs, to which the
  /// applications of desktop entries belong.
  package func profile(of opener: BundleIdentifier?) -> ApplicationDeclaration? {
    let application = opener.flatMap(application)
    return application?.origin == .desktopEntry ? nil : application?.declaration
  }

  /// Whether an open of the scheme finds an application, or several among which `CollisionPolicy` requires a
  /// choice. A device that makes calls counts as an application.
  package func hasHandler(for scheme: URLScheme, opener: BundleIdentifier?) -> Bool {
    guard SystemApplication(for: scheme) != nil else { return hasHandler(for: scheme) }
    if callingDevice(for: scheme, opener: profile(of: opener)) != nil { return true }
    do throws(OpenFailure) {
      _ = try handler(of: OpenTarget(scheme: scheme), for: profile(of: opener))
      return true
    } catch {
      guard case .ambiguousHandler = error else { return false }
      return true
    }
  }

  /// The system application that is missing when a documented scheme has no handler for the opener (R2.11).
  package func missingSystemApplication(
    for scheme: URLScheme, opener: BundleIdentifier?
  ) -> SystemApplication? {
    hasHandler(for: scheme, opener: opener)
      ? nil : SystemApplication(for: scheme, opener: profile(of: opener))
  }
}
