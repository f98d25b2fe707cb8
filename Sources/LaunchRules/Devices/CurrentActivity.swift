/// The activity that the user of an application is in, which another device can continue at the request of the user:
/// `NSUserActivity` after `becomeCurrent`.
package struct CurrentActivity: Hashable, Sendable {
  /// Such as `com.example.notes.reading`.
  package let type: String
  package let title: String?
  /// The web page with the same content; nil for an activity that only the application itself can continue.
  package let webpageURL: String?

  package init(type: String, title: String? = nil, webpageURL: String? = nil) {
    self.type = type
    self.title = title
    self.webpageURL = webpageURL
  }

  /// In bytes.
  package static let longestType = 255
  /// In bytes.
  package static let longestTitle = 1024
  /// In bytes.
  package static let longestURL = 8192

  /// The reason why an application may not offer the activity, without a full stop; nil when it may.
  /// - Parameters:
  ///   - declared: `NSUserActivityTypes` of the application.
  ///   - isWebPage: whether `webpageURL` is a URL of the web; true without one.
  package func objection(of application: BundleIdentifier, declared: [String], isWebPage: Bool)
    -> String?
  {
    if !declared.contains(type) {
      return "\(application) does not declare the activity type \(type.quoted); add the type to"
        + " NSUserActivityTypes in its property list"
    }
    return isWebPage ? nil : "the webpage-url of an activity must be an http or https URL"
  }
}
