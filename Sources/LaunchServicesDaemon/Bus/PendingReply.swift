internal import BusContract
internal import DBus

/// The reply that a caller waits for until the fate of its open is known: to a call, or a part of the reply to a call
/// that opened documents of several applications.
final class PendingReply {
  let call: PendingCall
  private var settle: ((Result<Options, BusError>) -> Void)?

  init(_ call: PendingCall) {
    self.call = call
    settle = { result in
      switch result {
      case .success(let receipt): call.succeed([.options(receipt)])
      case .failure(let error): call.fail(error)
      }
    }
  }

  init(partOf call: PendingCall, _ settle: @escaping (Result<Options, BusError>) -> Void) {
    self.call = call
    self.settle = settle
  }

  nonisolated deinit {}

  /// The unique name of the caller.
  var sender: String { call.sender }

  // A second answer is ignored.
  func succeed(_ receipt: Options) { end(.success(receipt)) }
  func fail(_ error: BusError) { end(.failure(error)) }

  private func end(_ result: Result<Options, BusError>) {
    settle?(result)
    settle = nil
  }
}

/// The answer to a call that opens documents, which is sent when the last of its parts is there.
final class DocumentsReply {
  private let call: PendingCall
  /// A receipt or an error alone is the answer, not a list.
  private let isSingle: Bool
  private var entries: [Options?] = []

  init(_ call: PendingCall, isSingle: Bool) {
    self.call = call
    self.isSingle = isSingle
  }

  /// One more part. Add all of them before one is settled.
  func add(_ documents: [String]) -> PendingReply {
    let place = entries.count
    entries.append(nil)
    return PendingReply(partOf: call) { [self] result in
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
