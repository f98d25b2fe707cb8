internal import BusContract
internal import DBus
public import FoundationEssentials
internal import LaunchRules

/// The running application: opens URLs with other applications and passes the URLs that it receives to its
/// delegate.
///
/// Every program may open URLs. A program whose main class is an `ApplicationDelegate` is also a handler.
@MainActor public final class Application {
  /// The application object of this process.
  public static let shared = Application()

  /// Whether the application is in front (R5.1).
  public enum State: Hashable, Sendable {
    /// The application is in front.
    case active
    /// The application is in front, but is launching or about to change between the other two states.
    case inactive
    /// The application is not in front; its process may be suspended.
    case background
  }

  /// The delegate of a handler; nil in a program that is not a handler.
  public internal(set) var delegate: (any ApplicationDelegate)?
  /// `inactive` until the launch methods have returned and the delegate has received the URL or quick action
  /// that launched the application (R5.1, R5.2).
  public internal(set) var applicationState = State.inactive

  /// The dynamic quick actions; nil for none.
  var quickActions: [QuickAction]?
  /// The activity that the application offers; nil for none.
  var currentActivity: UserActivity?
  let service: DaemonConnection

  init(_ service: DaemonConnection = DaemonConnection()) { self.service = service }
}

// MARK: - Queries

extension Application {
  /// Whether an application handles the URL's scheme and this application's property list lists the scheme
  /// under `LSApplicationQueriesSchemes` (R3.3).
  ///
  /// Blocks until the daemon answers, at most 5 s. Returns false and prints a line to standard error when the
  /// daemon does not answer.
  public func canOpenURL(_ url: URL) -> Bool {
    do throws(BusError) {
      return try service.ask(Contract.canOpenURL(url.absoluteString)).first?.asBoolean ?? false
    } catch {
      StandardStreams.complain("canOpenURL \"\(url.absoluteString)\": \(OpenError(error))")
      return false
    }
  }
}

// MARK: - Opening

extension Application {
  /// Opens the URL. Not limited by `LSApplicationQueriesSchemes` (R4.5).
  ///
  /// Calls the completion handler later: with true when an application was invoked for the URL (R4.3), else
  /// with false, and the reason is printed to standard error.
  public func open(
    _ url: URL, options: [OpenExternalURLOptionsKey: Any] = [:],
    completionHandler: ((Bool) -> Void)? = nil
  ) {
    send(url, options) { completionHandler?(Self.succeeded($0, url)) }
  }

  /// Opens the URL, without a completion handler. Not limited by `LSApplicationQueriesSchemes` (R4.5).
  /// - Returns: whether an application was invoked for the URL; the reason for false is printed to standard error.
  @discardableResult
  public func open(_ url: URL, options: [OpenExternalURLOptionsKey: Any] = [:]) async -> Bool {
    Self.succeeded(await answer(url, options), url)
  }

  /// Opens the URL without waiting for the result (R4.6). Not limited by `LSApplicationQueriesSchemes` (R4.5).
  ///
  /// Blocks until the daemon has accepted or refused the open, at most 5 s. In an iOS application that is linked
  /// with the SDK of iOS 18 or later, does nothing and returns false, as on Apple's systems.
  /// - Returns: whether the daemon has accepted the open; the reason for false is printed to standard error.
  @available(*, deprecated, message: "use open(_:options:completionHandler:)")
  @discardableResult
  public func openURL(_ url: URL) -> Bool {
    var options = OpenOptions()
    options.isLegacy = true
    options.requestID = UUID().uuidString
    do throws(BusError) {
      _ = try service.ask(Contract.openURL(url.absoluteString, options))
      return true
    } catch {
      StandardStreams.complain("openURL \"\(url.absoluteString)\": \(OpenError(error))")
      return false
    }
  }

  /// Opens the URL and returns the receipt. Suspends until the daemon answers; the daemon limits the time of
  /// every step.
  public func deliver(
    _ url: URL, options: [OpenExternalURLOptionsKey: Any] = [:]
  ) async throws(OpenError) -> OpenReceipt {
    try await answer(url, options).get()
  }

  private static func succeeded(_ answer: Result<OpenReceipt, OpenError>, _ url: URL) -> Bool {
    switch answer {
    case .success: return true
    case .failure(let error):
      StandardStreams.complain("open \"\(url.absoluteString)\": \(error)")
      return false
    }
  }

  private func answer(
    _ url: URL, _ options: [OpenExternalURLOptionsKey: Any]
  ) async -> Result<OpenReceipt, OpenError> {
    await withCheckedContinuation { continuation in
      send(url, options) { continuation.resume(returning: $0) }
    }
  }

  private func send(
    _ url: URL, _ options: [OpenExternalURLOptionsKey: Any],
    completion: @escaping @MainActor (Result<OpenReceipt, OpenError>) -> Void
  ) {
    do throws(OpenError) {
      var options = try Self.openOptions(options)
      options.requestID = UUID().uuidString
      let message = { [options] (isRepeated: Bool) in
        var options = options
        options.isRepeated = isRepeated
        return Contract.openURL(url.absoluteString, options)
      }
      service.ask(message, delays: ReconnectPolicy.delays[...]) {
        completion($0.mapError { OpenError($0) }.flatMap { Self.receipt($0) })
      }
    } catch {
      completion(.failure(error))
    }
  }

  private static func receipt(_ answer: [Value]) -> Result<OpenReceipt, OpenError> {
    guard let receipt = answer.first?.asOptions.flatMap(Receipt.init) else {
      return .failure(OpenError(.failed("the daemon's answer is not a receipt")))
    }
    return .success(OpenReceipt(receipt))
  }

  static func openOptions(
    _ options: [OpenExternalURLOptionsKey: Any]
  ) throws(OpenError) -> OpenOptions {
    var result = OpenOptions()
    for (key, value) in options {
      switch (key, value) {
      case (.universalLinksOnly, let only as Bool): result.universalLinksOnly = only
      case (.universalLinksOnly, _):
        throw .invalidOption("option universalLinksOnly is a Bool, not \(type(of: value))")
      default: throw .invalidOption("there is no option \"\(key.rawValue)\"")
      }
    }
    return result
  }
}
