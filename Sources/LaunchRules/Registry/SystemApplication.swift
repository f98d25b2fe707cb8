/// The system applications whose schemes Apple documents (R2.10), installed or not.
package enum SystemApplication: String, Hashable, Sendable, CaseIterable {
  case safari = "Safari"
  case mail = "Mail"
  case phone = "Phone"
  case faceTime = "FaceTime"
  case messages = "Messages"

  package var name: String { rawValue }
  /// Of the property list that comes with Launch Services.
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

extension Registry {
  /// The system application that people miss when nobody handles a documented scheme (R2.11).
  package func missingSystemApplication(for scheme: URLScheme) -> SystemApplication? {
    hasHandler(for: scheme) ? nil : SystemApplication(for: scheme)
  }
}
