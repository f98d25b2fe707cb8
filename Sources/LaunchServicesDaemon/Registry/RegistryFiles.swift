internal import Host
internal import RegistryLoading

/// The files that hold what the user registered and chose: one property list with everything, and one small property
/// list for each registration since that was written, so that a registration costs the same however many there are.
///
/// The numbers of the small ones only grow, and the large one says which of them it holds: a crash between its writing
/// and their removal changes nothing.
final class RegistryFiles {
  private let whole: StateFile<RegistryState>
  private let folder: String
  private let journal: Journal
  /// The numbers of the small property lists.
  private var numbers: [Int] = []
  private var lastNumber = 0
  /// The greatest number of small property lists, which a start has to read.
  private static let most = 256

  /// - Parameter folder: where the state of the daemon is.
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
    numbers = Self.numbers(in: folder)
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

  private static func numbers(in folder: String) -> [Int] {
    let names = (try? FolderListing(of: folder))?.names ?? []
    return names.compactMap { $0.hasSuffix(".plist") ? Int($0.dropLast(6)) : nil }
      .filter { $0 > 0 && $0 < Int.max }.sorted()
  }

  private func file(_ number: Int) -> StateFile<RegistryState.Registration> {
    StateFile(path: "\(folder)/\(number).plist")
  }

  /// - Parameter added: the registration that makes the state differ from the one before; nil for another change.
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
