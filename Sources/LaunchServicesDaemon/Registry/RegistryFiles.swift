internal import Host
internal import RegistryLoading

/// The files with the registrations and choices of the user: one property list with the whole state, and one
/// small property list for each registration since the whole state was written. The cost of a registration
/// therefore does not depend on the number of registrations.
///
/// The numbers of the small files only grow, and the whole state contains the last number that it includes. A
/// crash after writing the whole state and before removing the small files is therefore harmless.
final class RegistryFiles {
  private let whole: StateFile<RegistryState>
  private let folder: String
  private let journal: Journal
  /// The numbers of the small property lists.
  private var numbers: [Int] = []
  private var lastNumber = 0
  /// Maximum number of small property lists. The start reads all of them.
  private static let most = 256

  /// - Parameter folder: the state folder of the daemon.
  init(in folder: String, _ journal: Journal) {
    whole = StateFile(path: folder + "/registry.plist")
    self.folder = folder + "/registrations"
    self.journal = journal
  }

  /// Reads all files, and merges the small ones into the large one.
  func read() -> RegistryState {
    var state = whole.read(journal) ?? RegistryState()
    lastNumber = state.lastRegistration ?? 0
    AtomicFile.removeUnfinished(in: folder)
    numbers = listNumbers()
    for number in numbers where number > lastNumber {
      if let registration = file(number).read(journal) { state.add(registration) }
    }
    lastNumber = max(lastNumber, numbers.last ?? 0)
    if !numbers.isEmpty {
      do throws(FileError) {
        try write(state)
      } catch {
        // The next start reads the small files again.
        journal.warning(
          "the files of single registrations cannot be merged into one",
          ["reason": error.description])
      }
    }
    return state
  }

  private func listNumbers() -> [Int] {
    var names: [String] = []
    do throws(FileError) {
      names = try FolderListing(of: folder).names
    } catch {
      if error.errno != .noSuchFile {
        journal.warning(
          "the folder of single registrations cannot be read; the registrations in it have no effect until the"
            + " daemon starts again and can read it",
          ["reason": error.description])
      }
    }
    return names.compactMap { $0.hasSuffix(".plist") ? Int($0.dropLast(6)) : nil }
      .filter { $0 > 0 && $0 < Int.max }.sorted()
  }

  private func file(_ number: Int) -> StateFile<RegistryState.Registration> {
    StateFile(path: "\(folder)/\(number).plist")
  }

  /// - Parameter added: the registration that is the only change since the last write; nil for another
  ///   change.
  func write(
    _ state: RegistryState, adding added: RegistryState.Registration? = nil
  ) throws(FileError) {
    if let added, numbers.count < Self.most {
      try file(lastNumber + 1).write(added)
      lastNumber += 1
      return numbers.append(lastNumber)
    }
    var state = state
    state.lastRegistration = lastNumber > 0 ? lastNumber : nil
    try whole.write(state)
    for number in numbers { try? AtomicFile.remove(file(number).path) }
    numbers = []
  }
}
