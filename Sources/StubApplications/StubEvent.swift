package import FoundationEssentials

/// A call that a stub has received, one line of its log.
///
/// A stub writes the line before it returns from the callback. So when an open is answered, the log has every call that
/// led to the answer.
package struct StubEvent: Codable, Hashable, Sendable {
  /// The callbacks of an application, named as in Apple's documentation without the first parameter.
  package enum Callback: String, Codable, CaseIterable, Hashable, Sendable {
    case didFinishLaunching
    /// `scene(_:willConnectTo:options:)`
    case willConnectTo
    /// `scene(_:openURLContexts:)`
    case openURLContexts
    /// `application(_:open:options:)`
    case openURL = "application:openURL"
    /// `application(_:open:)` of AppKit, for documents
    case openURLs = "application:openURLs"
    /// `application(_:continue:restorationHandler:)` and `scene(_:continue:)`
    case continueActivity = "continue"
    /// `application(_:performActionFor:completionHandler:)` and `windowScene(_:performActionFor:completionHandler:)`
    case performAction = "performActionFor"
    /// `applicationShouldHandleReopen(_:hasVisibleWindows:)`
    case reopen

    /// The names of all callbacks, for messages.
    package static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
  }

  /// The bundle identifier.
  package var application: String
  package var process: Int32
  package var callback: Callback
  /// The URLs and documents, sorted where the callback gets a set.
  package var urls: [String]
  /// The universal links.
  package var links: [String]
  /// The type of the quick action.
  package var quickAction: String?
  /// The bundle identifier of the opener, when the daemon tells the application.
  package var source: String?

  package init(
    application: String, process: Int32, callback: Callback, urls: [String] = [],
    links: [String] = [], quickAction: String? = nil, source: String? = nil
  ) {
    self.application = application
    self.process = process
    self.callback = callback
    self.urls = urls
    self.links = links
    self.quickAction = quickAction
    self.source = source
  }

  /// Whether the call brought something to open or to do.
  package var isDelivery: Bool {
    callback != .didFinishLaunching
      && (callback == .reopen || !urls.isEmpty || !links.isEmpty || quickAction != nil)
  }

  /// For people, such as `com.example.photos openURLContexts photos:1 (from com.example.mail)`.
  package var sentence: String {
    let contents = urls + links.map { "link \($0)" } + (quickAction.map { ["action \($0)"] } ?? [])
    return ([application, callback.rawValue] + contents + (source.map { ["(from \($0))"] } ?? []))
      .joined(separator: " ")
  }

  /// The line of the log, without its end.
  package var line: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  /// The events of a log; lines that are no events are left out.
  package static func read(_ log: Data) -> [StubEvent] {
    log.split(separator: UInt8(ascii: "\n")).compactMap {
      try? JSONDecoder().decode(StubEvent.self, from: $0)
    }
  }
}
