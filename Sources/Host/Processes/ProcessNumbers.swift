internal import Glibc

/// The kernel's statistics about process numbers.
package enum ProcessNumbers {
  /// Number of processes and threads started since boot; nil when unreadable.
  package static func starts() -> UInt64? {
    guard let text = text(of: "/proc/stat", atMost: 1 << 20) else { return nil }
    let line = text.split(separator: "\n").first { $0.hasPrefix("processes ") }
    return line.flatMap { UInt64($0.dropFirst("processes ".count)) }
  }

  /// Number of available process numbers (`kernel.pid_max`); nil when unreadable.
  package static func limit() -> UInt64? {
    text(of: "/proc/sys/kernel/pid_max", atMost: 64).flatMap { text in
      UInt64(text.prefix { $0.isNumber })
    }
  }

  private static func text(of path: String, atMost most: Int) -> String? {
    (try? RegularFile.read(path, atMost: most).bytes).map { String(decoding: $0, as: UTF8.self) }
  }
}

extension ProcessDetails {
  /// Whether the process has an open socket; nil when unreadable.
  package var hasSocket: Bool? {
    let folder = "/proc/\(pid)/fd"
    guard let names = try? FolderListing(of: folder).names else { return nil }
    var isUnreadable = false
    for name in names {
      var status = stat()
      if unsafe stat("\(folder)/\(name)", &status) == 0 {
        if status.st_mode & S_IFMT == S_IFSOCK { return true }
      } else if errno != ENOENT {
        // In a user namespace the kernel lists the descriptors, and says nothing about them.
        isUnreadable = true
      }
    }
    return isUnreadable ? nil : false
  }
}
