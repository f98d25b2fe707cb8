internal import BusContract
internal import DBus
public import FoundationEssentials

extension Workspace {
  /// The state of an application's process at the time of the query (R6.10).
  public struct RunningApplication: Hashable, Sendable {
    /// The kind of application that the property list declares.
    public enum ActivationPolicy: Hashable, Sendable {
      /// An ordinary application: neither `LSUIElement` nor `LSBackgroundOnly`.
      case regular
      /// An application with the key `LSUIElement` (R1.30).
      case accessory
      /// An application with the key `LSBackgroundOnly` (R1.31).
      case prohibited
    }

    /// The bundle identifier of the application.
    public let bundleIdentifier: String
    /// The bundle, or the standalone property list; nil when unknown.
    public let bundleURL: URL?
    /// The display name of the application; nil when unknown.
    public let localizedName: String?
    /// The PID; −1 before the process is started.
    public let processIdentifier: Int32
    /// The time of the launch; nil when unknown.
    public let launchDate: Date?
    /// Whether the launch is complete.
    public let isFinishedLaunching: Bool
    /// Whether the application is in front.
    public let isActive: Bool
    /// The kind of application that the property list declares.
    public let activationPolicy: ActivationPolicy
  }
}

extension Workspace.RunningApplication {
  /// Nil when the dictionary is not an entry of `RunningApplications`.
  init?(_ entry: Options) {
    guard let identifier = entry[Key.bundleIdentifier]?.asString else { return nil }
    bundleIdentifier = identifier
    bundleURL = entry[Key.bundle]?.asString.map { URL(filePath: $0) }
    localizedName = entry[Key.name]?.asString
    let pid = entry[Key.pid]?.asUInt32 ?? 0
    processIdentifier = pid == 0 ? -1 : Int32(truncatingIfNeeded: pid)
    launchDate = entry[Key.since]?.asUInt64.map {
      Date(timeIntervalSince1970: Double($0) / 1_000_000)
    }
    let state = entry[Key.state]?.asString
    isFinishedLaunching = state != "launching"
    isActive = state == "active"
    activationPolicy =
      switch entry[Key.activationPolicy]?.asString {
      case "accessory": .accessory
      case "prohibited": .prohibited
      default: .regular
      }
  }

  /// The state of a process that has ended.
  init(_ receipt: Receipt) {
    bundleIdentifier = receipt.handler
    bundleURL = nil
    localizedName = nil
    processIdentifier = receipt.pid == 0 ? -1 : Int32(truncatingIfNeeded: receipt.pid)
    launchDate = nil
    isFinishedLaunching = true
    isActive = false
    activationPolicy = .regular
  }
}
