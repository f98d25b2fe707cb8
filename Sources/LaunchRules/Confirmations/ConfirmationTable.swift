/// The default decisions about confirmations (R4.15), with one row per situation.
package struct ConfirmationTable: Hashable, Sendable {
  /// The kind of URL that is opened.
  package enum Trigger: Hashable, Sendable, CaseIterable {
    /// `tel` and `telprompt`.
    case telephone
    /// `facetime` and `facetime-audio`.
    case faceTime
    /// A link to the App Store.
    case store
    /// `http`, `https`, `mailto`, `sms`, and other schemes that a system application handles.
    case system
    /// All other schemes.
    case custom
    /// Any URL for another device, except calls.
    case device
    /// A call or a message for the device of the setting `CallsFrom`.
    case handoff
  }

  /// The origin of the open.
  package enum Origin: String, Hashable, Sendable, CaseIterable {
    /// A page in a browser.
    case web
    case application
    /// Another machine or a container, on a socket of its own or as an outsider on those of the user.
    case remote
  }

  /// The system whose rules apply to the opener: `earliestIOS` before iOS 10, `earlyIOS` before iOS 10.3. The
  /// rules of macOS apply to an opener without a property list, as for `open(1)`.
  package enum Profile: Hashable, Sendable, CaseIterable {
    case earliestIOS, earlyIOS, iOS, macOS
  }

  package struct Row: Hashable, Sendable {
    /// The name in the settings.
    package let name: String
    let trigger: Trigger
    let origin: Origin
    /// Nil for all profiles.
    let profiles: Set<Profile>
    /// Whether the user is asked, unless the settings change the row.
    package let asks: Bool

    init(
      _ name: String, _ trigger: Trigger, _ origin: Origin,
      _ profiles: Set<Profile> = Set(Profile.allCases), asks: Bool
    ) {
      self.name = name
      self.trigger = trigger
      self.origin = origin
      self.profiles = profiles
      self.asks = asks
    }
  }

  /// The rows. Each situation has exactly one.
  package static let rows = [
    Row("tel-web", .telephone, .web, asks: true),
    Row("tel-application", .telephone, .application, [.iOS], asks: true),
    Row(
      "tel-application-before-10.3", .telephone, .application, [.earliestIOS, .earlyIOS],
      asks: false),
    Row("tel-application-macos", .telephone, .application, [.macOS], asks: false),
    Row("facetime-web", .faceTime, .web, asks: true),
    // As measured by the translator of Apple's document (U10); according to the document the user is not
    // asked.
    Row("facetime-application", .faceTime, .application, [.earlyIOS, .iOS], asks: true),
    Row("facetime-application-before-10", .faceTime, .application, [.earliestIOS], asks: false),
    Row("facetime-application-macos", .faceTime, .application, [.macOS], asks: true),
    Row("store-web", .store, .web, [.iOS], asks: true),
    Row("store-web-before-10.3", .store, .web, [.earliestIOS, .earlyIOS], asks: false),
    Row("store-web-macos", .store, .web, [.macOS], asks: false),
    Row("store-application", .store, .application, asks: false),
    Row("custom-web", .custom, .web, asks: true),
    Row("custom-application", .custom, .application, asks: false),  // U11
    Row("system-web", .system, .web, asks: false),
    Row("system-application", .system, .application, asks: false),
    Row("tel-remote", .telephone, .remote, asks: true),
    Row("facetime-remote", .faceTime, .remote, asks: true),
    Row("store-remote", .store, .remote, asks: true),
    Row("custom-remote", .custom, .remote, asks: true),
    Row("system-remote", .system, .remote, asks: true),
    Row("device-web", .device, .web, asks: true),
    Row("device-application", .device, .application, asks: false),
    Row("device-remote", .device, .remote, asks: true),
    // On macOS, FaceTime asks before it calls from a telephone.
    Row("handoff-web", .handoff, .web, asks: true),
    Row("handoff-application", .handoff, .application, asks: true),
    Row("handoff-remote", .handoff, .remote, asks: true),
  ]

  /// Changes of rows by the settings, by row name.
  package var changes: [String: Bool]

  package init(changes: [String: Bool] = [:]) { self.changes = changes }

  /// The row of a situation.
  package static func row(_ trigger: Trigger, _ origin: Origin, _ profile: Profile) -> Row {
    let row = rows.first {
      $0.trigger == trigger && $0.origin == origin && $0.profiles.contains(profile)
    }
    guard let row else { preconditionFailure("\(trigger), \(origin), \(profile) has no row") }
    return row
  }

  /// The rows in which the user is asked each time, unless the settings change them.
  static func askingEachTime(
    _ trigger: Trigger, _ profiles: [Profile], _ origins: [Origin]
  ) -> [Row] {
    let profiles = profiles.filter { !remembersAnswers(trigger, $0) }
    return rows.filter {
      $0.trigger == trigger && origins.contains($0.origin) && $0.asks
        && !$0.profiles.isDisjoint(with: profiles)
    }
  }

  package func asks(_ row: Row) -> Bool { self[row] }

  /// Whether answers may be remembered. The user is asked each time before a telephone call, and on macOS
  /// before a FaceTime call (R4.15).
  static func remembersAnswers(_ trigger: Trigger, _ profile: Profile) -> Bool {
    switch trigger {
    case .telephone: false
    case .faceTime: profile != .macOS
    case .store, .system, .custom, .device, .handoff: true
    }
  }

  /// Whether the user is asked in the situation of this row.
  package subscript(_ row: Row) -> Bool {
    get { changes[row.name] ?? row.asks }
    set { changes[row.name] = newValue }
  }
}

extension ConfirmationTable.Trigger {
  private static let triggers: [String: Self] = [
    "tel": .telephone, "telprompt": .telephone, "facetime": .faceTime, "facetime-audio": .faceTime,
    "itms-apps": .store, "itms-appss": .store, "macappstore": .store, "macappstores": .store,
    // Also when the user, or the desktop, has chosen another application for them (R2.9): the choice is the consent.
    "http": .system, "https": .system, "mailto": .system, "sms": .system,
  ]

  /// - Parameter isHandoff: whether the setting `CallsFrom` has chosen the handler.
  package init(_ scheme: URLScheme, handler: Receiver, isHandoff: Bool) {
    switch handler {
    case .application(let application):
      self = Self(scheme) ?? (application.isSystem ? .system : .custom)
    case .nobody: self = Self(scheme) ?? .custom
    case .device where isHandoff: self = .handoff
    case .device:
      switch Self(scheme) {
      case .telephone?: self = .telephone
      case .faceTime?: self = .faceTime
      case .store?, .system?, .custom?, .device?, .handoff?, nil: self = .device
      }
    }
  }

  /// Nil when the trigger depends on the handler.
  init?(_ scheme: URLScheme) {
    guard let trigger = Self.triggers[scheme.text] else { return nil }
    self = trigger
  }
}

extension ConfirmationTable.Profile {
  /// - Parameter opener: nil without a property list.
  package init(_ opener: ApplicationDeclaration?) {
    switch opener?.platform {
    case .iOS?:
      let sdk = opener?.linkedSDK ?? .newest
      self = sdk < LinkedSDK(10) ? .earliestIOS : sdk < LinkedSDK(10, 3) ? .earlyIOS : .iOS
    case .macOS?, nil: self = .macOS
    }
  }
}
