extension ConfirmationTable.Row {
  /// A description of the opens that the row applies to, for manuals. Schemes are in backticks.
  package var situation: String { "\(what), opened by \(opener)" }

  private var what: String {
    switch trigger {
    case .telephone: "`tel` and `telprompt`"
    case .faceTime: "`facetime` and `facetime-audio`"
    case .store: "links to the App Store"
    case .system:
      "`http`, `https`, `mailto`, `sms` and other schemes that a system application handles"
    case .custom: "other schemes"
    case .device: "URLs for another device, except calls"
    case .handoff: "`tel` and `sms` for the device of the setting `CallsFrom`"
    }
  }

  private var opener: String {
    if profiles.count == ConfirmationTable.Profile.allCases.count {
      return switch origin {
      case .web: "a web page"
      case .application: "an application"
      case .remote:
        "a remote or an outsider, unless it may open the scheme and the host is public"
      }
    }
    let system = ConfirmationTable.Profile.systems(profiles)
    switch origin {
    case .web: return "a web page in a browser for \(system)"
    case .application: return "an application for \(system)"
    case .remote: return "a remote or an outsider"
    }
  }
}

extension ConfirmationTable.Profile {
  fileprivate static func systems(_ profiles: Set<Self>) -> String {
    switch profiles {
    case [.earliestIOS, .earlyIOS]: "iOS before 10.3"
    case [.earlyIOS, .iOS]: "iOS 10 or later"
    default: allCases.filter(profiles.contains).map(\.system).joined(separator: " or ")
    }
  }

  private var system: String {
    switch self {
    case .earliestIOS: "iOS before 10"
    case .earlyIOS: "iOS 10 to 10.2"
    case .iOS: "iOS 10.3 or later"
    case .macOS: "macOS, or one without a property list"
    }
  }
}
