internal import BusContract
internal import DBus
internal import LaunchRules

/// The reply that a caller waits for until the fate of its open is known: to a call, or a part of the reply to a call
/// that opened documents of several applications.
final class PendingReply {
  let call: PendingCall
  /// `AccessRule.mayKnowHandler`
  private let mayKnowHandler: Bool
  private var settle: ((Result<Options, BusError>) -> Void)?

  init(_ call: PendingCall, mayKnowHandler: Bool = true) {
    self.call = call
    self.mayKnowHandler = mayKnowHandler
    settle = { result in
      switch result {
      case .success(let receipt): call.succeed([.options(receipt)])
      case .failure(let error): call.fail(error)
      }
    }
  }

  init(
    partOf call: PendingCall, mayKnowHandler: Bool = true,
    _ settle: @escaping (Result<Options, BusError>) -> Void
  ) {
    self.call = call
    self.mayKnowHandler = mayKnowHandler
    self.settle = settle
  }

  nonisolated deinit {}

  /// The unique name of the caller.
  var sender: String { call.sender }

  // A second answer is ignored.
  func succeed(_ receipt: Receipt) {
    end(.success(mayKnowHandler ? receipt.dictionary : receipt.dictionaryWithoutHandler))
  }
  func fail(_ error: BusError) { end(.failure(mayKnowHandler ? error : error.withoutHandler)) }

  private func end(_ result: Result<Options, BusError>) {
    settle?(result)
    settle = nil
  }
}

/// The reply to a call that opens documents. It is sent when the last of its parts is settled.
final class DocumentsReply {
  private let call: PendingCall
  /// A receipt or an error alone is the answer, not a list.
  private let isSingle: Bool
  private let mayKnowHandler: Bool
  private var entries: [Options?] = []

  init(_ call: PendingCall, isSingle: Bool, mayKnowHandler: Bool) {
    self.call = call
    self.mayKnowHandler = mayKnowHandler
    self.isSingle = isSingle
  }

  /// Adds a part. Add all parts before one is settled.
  func add(_ documents: [String]) -> PendingReply {
    let place = entries.count
    entries.append(nil)
    return PendingReply(partOf: call, mayKnowHandler: mayKnowHandler) { [self] result in
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
  /// What an opener is told that must not learn which application the open was for.
  var withoutHandler: BusError {
    guard let failure = OpenFailure(self), failure.withoutHandler != failure else { return self }
    return failure.withoutHandler.busError
  }
}
