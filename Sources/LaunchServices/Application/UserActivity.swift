internal import BusContract
internal import DBus
public import FoundationEssentials

/// An activity that the application continues: a universal link.
@MainActor public final class UserActivity: Hashable {
  /// The type of universal links: `NSUserActivityTypeBrowsingWeb` (R5.20).
  public nonisolated static let typeBrowsingWeb = Contract.browsingWeb

  /// The type of the activity: `typeBrowsingWeb`.
  public let activityType: String
  /// The universal link, byte for byte as the opener sent it.
  public let webpageURL: URL?
  /// An XDG activation token, which lets a window of this application come to the front once. Not in UIKit.
  public let activationToken: String?

  init(activityType: String, webpageURL: URL?, activationToken: String?) {
    self.activityType = activityType
    self.webpageURL = webpageURL
    self.activationToken = activationToken
  }

  /// Whether both are the same object: two opens of the same link are not equal.
  public nonisolated static func == (left: UserActivity, right: UserActivity) -> Bool {
    left === right
  }

  /// Hashes the identity of the object.
  public nonisolated func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }
}

/// A user activity for the delegate, as the daemon sent it.
struct ArrivingActivity: Hashable {
  let type: String
  let options: Options

  init(_ type: String, _ options: Options) {
    self.type = type
    self.options = options
  }

  /// Reads `a(sa{sv})`.
  static func list(_ value: Value?) -> [ArrivingActivity] {
    ArrivingURL.list(value).map { ArrivingActivity($0.text, $0.options) }
  }

  var request: UInt64? { options[Key.request]?.asUInt64 }
  var isRepeated: Bool { options[Key.repeated]?.asBoolean ?? false }

  /// Nil when Foundation cannot parse the URL, which is reported on standard error.
  @MainActor var userActivity: UserActivity? {
    guard let url = options[Key.webpageURL]?.asString.flatMap({ ArrivingURL($0).url }) else {
      return nil
    }
    return UserActivity(
      activityType: type, webpageURL: url,
      activationToken: options[Key.activationToken]?.asString)
  }
}
