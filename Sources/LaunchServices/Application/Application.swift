internal import BusContract
internal import DBus
public import FoundationEssentials

/// This application: it asks for URLs to be opened, and its delegate opens those of others.
///
/// Any program may ask. A program whose class is an `ApplicationDelegate` is a handler as well.
@MainActor public final class Application {
  public static let shared = Application()

  public enum State: Hashable, Sendable {
    case active
    case inactive
    case background
  }

  public internal(set) var delegate: (any ApplicationDelegate)?
  /// Inactive until the delegate has launched and has been given what launched it (R5.1, R5.2).
  public internal(set) var applicationState = State.inactive

  /// The dynamic ones; nil for none.
  var quickActions: [QuickAction]?
  let service: Service

  init(_ service: Service = Service()) { self.service = service }
}

// MARK: - Asking

extension Application {
  /// Whether an application is there for the URL's scheme, and this application's property list
  /// says under `LSApplicationQueriesSchemes` that it asks (R3.3).
  ///
  /// Waits for the daemon, at most 5 s. False when it cannot be reached, with a line on standard
  /// error.
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
  /// The completion handler is called later, with true when an application was invoked for the URL
  /// (R4.3). With false, the reason is on standard error.
  public func open(
    _ url: URL, options: [OpenExternalURLOptionsKey: Any] = [:],
    completionHandler: ((Bool) -> Void)? = nil
  ) {
    send(url, options) { completionHandler?(Self.succeeded($0, url)) }
  }

  /// Opens the URL, as above.
  @discardableResult
  public func open(_ url: URL, options: [OpenExternalURLOptionsKey: Any] = [:]) async -> Bool {
    Self.succeeded(await answer(url, options), url)
  }

  /// Opens the URL and tells what became of it. Waits until its fate is known, however long that
  /// takes; the daemon bounds every step.
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
      service.ask(message, pauses: CutOff.pauses[...]) {
        completion($0.mapError { OpenError($0) }.flatMap { Self.receipt($0) })
      }
    } catch {
      completion(.failure(error))
    }
  }

  private static func receipt(_ answer: [Value]) -> Result<OpenReceipt, OpenError> {
    guard let receipt = answer.first?.asOptions.flatMap(Receipt.init) else {
      return .failure(OpenError(.failed("the receipt cannot be read")))
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
