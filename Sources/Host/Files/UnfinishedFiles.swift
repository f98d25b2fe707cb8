internal import Glibc

extension AtomicFile {
  static let temporaryPrefix = ".new-"
  static let temporaryDigits = 16

  /// Removes the temporary files of writers that were killed: regular files of this user with names as `write`
  /// makes them, not modified for ten minutes. Does not follow links.
  package static func removeUnfinished(in folder: String) {
    guard let names = try? FolderListing(of: folder, isSorted: false).names else { return }
    let latest = Time.wallClockNanoseconds() - 600 * 1_000_000_000
    for name in names where isTemporary(name) {
      let path = "\(folder)/\(name)"
      guard let status = try? look(at: path, followingLink: false),
        status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
        FileStamp(status).modified < latest
      else { continue }
      unsafe unlink(path)
    }
  }

  private static func isTemporary(_ name: String) -> Bool {
    let digits = name.utf8.dropFirst(temporaryPrefix.utf8.count)
    return name.hasPrefix(temporaryPrefix) && digits.count == temporaryDigits
      && digits.allSatisfy {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
          || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
      }
  }
}
