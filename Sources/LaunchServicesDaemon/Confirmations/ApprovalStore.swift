internal import DBus
internal import Host
internal import LaunchRules

/// The remembered answers of the user, in memory and in their file. Changes by callers are written on another
/// thread, one after the other, so that other callers need not wait.
final class ApprovalStore {
  private(set) var approvals: Approvals
  private let file: StateFile<ApprovalState>
  private let journal: Journal
  private var last: Task<Void, Never>?
  /// Number of `remember` and `forget` calls so far.
  private var remembered = 0

  init(_ file: StateFile<ApprovalState>, _ journal: Journal) {
    approvals = file.read(journal)?.value(journal) ?? Approvals()
    self.file = file
    self.journal = journal
  }

  /// Stores an answer that the user has just given.
  func remember(_ key: Approvals.Key, _ isAllowed: Bool) {
    guard approvals.set(key, isAllowed) else {
      return journal.warning(
        "the answer is not remembered: the limit of remembered answers is reached",
        ["limit": "\(Approvals.most)"])
    }
    remembered += 1
    do throws(FileError) {
      try storeAgain()
    } catch {
      journal.error("the answer cannot be stored", ["reason": "\(error)"])
    }
  }

  /// Forgets the answers about an opener at once.
  func forget(_ opener: Approvals.Opener) {
    guard approvals.reset(opener: opener) > 0 else { return }
    remembered += 1
    do throws(FileError) {
      try storeAgain()
    } catch {
      journal.error("forgotten answers cannot be removed from the file", ["reason": "\(error)"])
    }
  }

  /// Writes the file again after its removal.
  func storeAgain() throws(FileError) { try file.write(ApprovalState(approvals)) }

  /// Changes the answers atomically. An error of `body` is thrown.
  func change(
    _ body: @escaping (inout Approvals) throws(BusError) -> Void
  ) async throws(BusError) {
    let before = last
    let change = Task { () -> Result<Void, BusError> in
      await before?.value
      do throws(BusError) {
        return .success(try await self.changeNow(body))
      } catch {
        return .failure(error)
      }
    }
    last = Task { _ = await change.value }
    try await change.value.get()
  }

  private func changeNow(
    _ body: (inout Approvals) throws(BusError) -> Void
  ) async throws(BusError) {
    var wanted = approvals
    try body(&wanted)
    let rememberedBefore = remembered
    if let error = await Self.write(wanted, to: file) { throw .notStored(error) }
    // Only `remember` and `forget` can have changed the approvals during the write.
    try body(&approvals)
    guard remembered != rememberedBefore else { return }
    do throws(FileError) {
      try storeAgain()
    } catch {
      throw .notStored(error)
    }
  }

  @concurrent private nonisolated static func write(
    _ approvals: Approvals, to file: StateFile<ApprovalState>
  ) async -> FileError? {
    do throws(FileError) {
      try file.write(ApprovalState(approvals))
      return nil
    } catch {
      return error
    }
  }
}
