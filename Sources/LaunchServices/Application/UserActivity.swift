internal import BusContract
internal import DBus
public import FoundationEssentials

/// What an application is to go on with: a universal link.
@MainActor public final class UserActivity: Hashable {
  /// Of a universal link: `NSUserActivityTypeBrowsingWeb` (R5.20).
  public nonisolated static let typeBrowsingWeb = Contract.browsingWeb

  /// `typeBrowsingWeb`.
  public let activityType: String
  /// Exactly as the opener gave it.
  public let webpageURL: URL?
  /// What lets a window of this application come to the front; good once. Not of UIKit.
  public let activationToken: String?

  init(activityType: String, webpageURL: URL?, activationToken: String?) {
    self.activityType = activityType
    self.webpageURL = webpageURL
    self.activationToken = activationToken
  }

  public nonisolated static func == (left: UserActivity, right: UserActivity) -> Bool {
    left === right
  }
  public nonisolated func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }
}

/// A user activity on its way to the delegate, as the daemon sent it.
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

  /// Nil, with a line on standard error, when Foundation cannot make a URL of its text.
  @MainActor var userActivity: UserActivity? {
    guard let url = options[Key.webpageURL]?.asString.flatMap({ ArrivingURL($0).url }) else {
      return nil
    }
    return UserActivity(
      activityType: type, webpageURL: url,
      activationToken: options[Key.activationToken]?.asString)
  }
}
