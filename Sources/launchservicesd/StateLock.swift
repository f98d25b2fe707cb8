internal import Glibc
internal import Host

/// The lock that allows one daemon for each state folder: two daemons, on two buses, would overwrite each
/// other's files.
enum StateLock {
  /// Timeout for another daemon that is ending, in milliseconds.
  private static let patience = 10_000
  private static let pause = 20

  /// Locks the folder, or ends this process when another process keeps the lock.
  /// - Parameter meanwhile: called repeatedly while another process has the lock.
  /// - Returns: nil when the folder cannot be locked; it cannot be written either then.
  static func take(
    _ folder: String, _ journal: Journal, while meanwhile: () -> Void
  ) -> FolderLock? {
    for waited in stride(from: 0, through: patience, by: pause) {
      do throws(FileError) {
        if let lock = try FolderLock.take(folder) { return lock }
      } catch {
        journal.warning(
          "the state folder cannot be locked; nothing keeps another daemon from using it",
          ["reason": error.description])
        return nil
      }
      if waited == 0 {
        journal.notice(
          "waiting up to \(patience / 1000) s for another launchservicesd to end, which uses the same state"
            + " folder",
          ["folder": folder, "pid": owner(of: folder)])
      }
      meanwhile()
      usleep(UInt32(pause) * 1000)
    }
    journal.error(
      "another launchservicesd, on another session bus or on none, uses the state folder \(folder); end"
        + " that one, or set XDG_STATE_HOME to another folder for one of them",
      ["pid": owner(of: folder)])
    exit(1)
  }

  private static func owner(of folder: String) -> String {
    FolderLock.owner(of: folder).map { "\($0)" } ?? "unknown"
  }
}
