internal import Host

/// Keeps the state folder locked: a removed or replaced lock file is made and locked again, so that a second daemon does
/// not take the folder for free.
final class KeptLock {
  private let folder: String
  private let journal: Journal
  private var lock: FolderLock?
  private var watch: FileWatch?
  private var isShared = false
  /// Called once, with the reason, when another process has locked the folder meanwhile.
  var onOther: (_ reason: String) -> Void = { _ in }

  /// - Parameter lock: nil when the folder could not be locked.
  init(_ folder: String, _ lock: FolderLock?, _ journal: Journal) {
    (self.folder, self.lock, self.journal) = (folder, lock, journal)
    begin()
  }

  private func begin() {
    watch = try? FileWatch(folder + "/lock") { [weak self] in self?.lookAtPlace() }
    // The file may have been removed before.
    if let lock, !lock.isInPlace { lookAtPlace() }
  }

  /// Checks whether the lock file was removed or replaced.
  func lookAtPlace() {
    guard lock?.isInPlace != true, !isShared else { return }
    do throws(FileError) {
      guard let again = try FolderLock.take(folder) else { return tellOther() }
      journal.error(
        "the lock file of the state folder was removed or replaced while launchservicesd used the folder, and was"
          + " made again: leave the state folder alone, or end launchservicesd first",
        ["file": folder + "/lock"])
      lock = again
      begin()
    } catch {
      journal.error(
        "the lock file of the state folder was removed or replaced, and cannot be made again; nothing keeps"
          + " another daemon from using the folder", ["reason": error.description])
    }
  }

  private func tellOther() {
    isShared = true
    watch = nil
    let pid = FolderLock.owner(of: folder).map { "\($0)" } ?? "unknown"
    journal.error(
      "two daemons use the state folder \(folder), because its lock file was removed; this one records no more"
        + " requests, refuses new ones with a request-id, and repeated ones fail with DeliveryUnknown: end both, and"
        + " start one of them again",
      ["pid": pid])
    onOther("another launchservicesd (process \(pid)) uses the state folder")
  }
}
