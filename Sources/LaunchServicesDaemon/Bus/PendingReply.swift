internal import BusContract
internal import DBus
internal import LaunchRules

/// A reply that is sent when the result of an open is known: the reply to a call, or a part of the reply to a
/// call that opened documents with several applications.
final class PendingReply {
  let call: PendingCall
  /// The opener, if it may not know all of the receipt.
  private let opener: SandboxedCaller?
  private var settle: ((Result<Options, BusError>) -> Void)?

  init(_ call: PendingCall, _ opener: SandboxedCaller? = nil) {
    self.call = call
    self.opener = opener
    settle = { result in
      switch result {
      case .success(let receipt): call.succeed([.options(receipt)])
      case .failure(let error): call.fail(error)
      }
    }
  }

  init(
    partOf call: PendingCall, _ opener: SandboxedCaller? = nil,
    _ settle: @escaping (Result<Options, BusError>) -> Void
  ) {
    self.call = call
    self.opener = opener
    self.settle = settle
  }

  nonisolated deinit {}

  /// The unique name of the caller.
  var sender: String { call.sender }

  // Only the first result takes effect.
  func succeed(_ receipt: Receipt) {
    end(.success(receipt.dictionary(AccessRule.receiptExtent(for: opener))))
  }
  /// Answers an opener that does not wait for the result.
  func accept(_ request: UInt64) { end(.success(Receipt.acceptance(of: request))) }
  func fail(_ error: BusError) { end(.failure(error.told(to: opener))) }

  private func end(_ result: Result<Options, BusError>) {
    settle?(result)
    settle = nil
  }
}

/// The reply to a call that opens documents. The reply is sent when the last of its parts has a result.
final class DocumentsReply {
  private let call: PendingCall
  /// The reply is one receipt or error instead of a list.
  private let isSingle: Bool
  private let opener: SandboxedCaller?
  private var entries: [Options?] = []

  init(_ call: PendingCall, isSingle: Bool, _ opener: SandboxedCaller?) {
    self.call = call
    self.opener = opener
    self.isSingle = isSingle
  }

  /// Adds a part for the documents. Add all parts before the first one gets its result.
  func add(_ documents: [String]) -> PendingReply {
    let place = entries.count
    entries.append(nil)
    return PendingReply(partOf: call, opener) { [self] result in
      guard !isSingle else {
        switch result {
        case .success(let receipt): call.succeed([.options(Self.entry(receipt, documents))])
        case .failure(let error): call.fail(error)
        }
        return
      }
      switch result {
      case .success(let receipt): entries[place] = Self.entry(receipt, documents)
      case .failure(let error):
        entries[place] = Self.entry(
          [Key.error: .string(Contract.shortName(of: error)), Key.message: .string(error.text)],
          documents)
      }
      let all = entries.compactMap(\.self)
      if all.count == entries.count { call.succeed([.optionsList(all)]) }
    }
  }

  private static func entry(_ options: Options, _ documents: [String]) -> Options {
    options.merging([Key.documents: .strings(documents)]) { $1 }
  }
}

extension BusError {
  /// The error without facts that identify the handler.
  /// - Parameter opener: which may not know the handler; nil for one that may.
  func told(to opener: SandboxedCaller?) -> BusError {
    guard let opener, let failure = OpenFailure(self) else { return self }
    let told = failure.withoutHandler(for: opener)
    return told == failure ? self : told.busError
  }
}
