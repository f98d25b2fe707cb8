internal import BusContract
internal import DBus
public import FoundationEssentials
internal import LaunchRules

/// What the user does in an application: an activity that the application continues, such as a universal link, or one
/// that the application offers, so that the user can continue it on another device.
///
/// An application offers an activity with ``becomeCurrent()``. `lsopen --continue ID --on NAME` opens the activity's
/// web page on a device.
@MainActor public final class UserActivity: Hashable {
  /// The type of universal links: `NSUserActivityTypeBrowsingWeb` (R5.20).
  public nonisolated static let typeBrowsingWeb = Contract.browsingWeb

  /// The type of the activity. The property list declares the types that an application offers, in
  /// `NSUserActivityTypes`.
  public let activityType: String
  /// The title for the user, at most 1024 bytes; nil for none.
  public var title: String? { didSet { changed() } }
  /// A web page with the same content, at most 8192 bytes; nil for none. For a universal link, the link byte for byte as
  /// the opener sent it. Only an activity with a web page can be continued on another device.
  public var webpageURL: URL? { didSet { changed() } }
  /// An XDG activation token, which lets a window of this application come to the front once. Not in UIKit.
  public let activationToken: String?
  private var isValid = true
  /// The application that offers the activity; nil for an activity that is not current.
  var owner: Application?

  /// Creates an activity of the application.
  public convenience init(activityType: String) {
    self.init(activityType: activityType, webpageURL: nil, activationToken: nil)
  }

  init(activityType: String, webpageURL: URL?, activationToken: String?) {
    self.activityType = activityType
    self.webpageURL = webpageURL
    self.activationToken = activationToken
  }

  /// Offers the activity instead of an earlier one, until another activity becomes current or the process ends. Only a
  /// handler may offer an activity. When offering fails, the reason is printed to standard error.
  public func becomeCurrent() {
    if isValid { Application.shared.offer(self) }
  }

  /// Offers the activity no longer, if it is the current one.
  public func resignCurrent() { owner?.withdraw(self) }

  /// Offers the activity no longer, and never again.
  public func invalidate() {
    isValid = false
    resignCurrent()
  }

  private func changed() { owner?.sendCurrentActivity() }

  var offered: CurrentActivity {
    CurrentActivity(type: activityType, title: title, webpageURL: webpageURL?.absoluteString)
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

extension Application {
  func offer(_ activity: UserActivity) {
    currentActivity?.owner = nil
    currentActivity = activity
    activity.owner = self
    sendCurrentActivity()
  }

  func withdraw(_ activity: UserActivity) {
    currentActivity = nil
    activity.owner = nil
    sendCurrentActivity()
  }

  /// Sends the current activity again to a daemon that has started since.
  func offerAgain() {
    if currentActivity != nil { sendCurrentActivity() }
  }

  func sendCurrentActivity() {
    let message = Contract.setCurrentActivity(currentActivity?.offered)
    service.call(message, deadline: .seconds(25)) { answer in
      // The activity is sent again after the check-in with the next daemon.
      guard case .failure(let error) = answer, !ReconnectPolicy.isInterruption(error) else {
        return
      }
      StandardStreams.complain("cannot set the current activity: \(error.text)")
    }
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
