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

  /// Numbers of the running processes that were started last, the newest first, in the PID namespace of this process.
  package static func latest(_ most: Int) -> [Int32] {
    // loadavg ends with the last number. After the highest number, the kernel begins with low numbers again.
    guard let word = text(of: "/proc/loadavg", atMost: 256)?.split(separator: " ").last,
      let last = Int32(word.prefix { $0.isNumber })
    else { return [] }
    let numbers = ProcessDetails.numbers().sorted(by: >)
    return Array((numbers.filter { $0 <= last } + numbers.filter { $0 > last }).prefix(most))
  }

  private static func text(of path: String, atMost most: Int) -> String? {
    (try? RegularFile.read(path, atMost: most).bytes).map { String(decoding: $0, as: UTF8.self) }
  }
}

extension ProcessDetails {
  /// Whether the process has an open socket; nil when unreadable. False also when the first `mostDescriptors`
  /// descriptors are no sockets, so that this takes no longer for a process with very many.
  package var hasSocket: Bool? {
    let folder = "/proc/\(pid)/fd"
    // Most programs connect before they open many files, so the list is rarely needed.
    for number in 0..<Self.fewDescriptors where Self.isSocket("\(folder)/\(number)") == true {
      return true
    }
    let names: [String]
    do {
      names = try FolderListing(of: folder, atMost: Self.mostDescriptors, isSorted: false).names
    } catch {
      return error.errno == nil ? false : nil
    }
    var isUnreadable = false
    for name in names {
      switch Self.isSocket("\(folder)/\(name)") {
      case true?: return true
      case false?: break
      case nil: isUnreadable = true
      }
    }
    return isUnreadable ? nil : false
  }

  private static let fewDescriptors = 16
  private static let mostDescriptors = 1024

  /// Nil when unreadable: in a user namespace the kernel lists the descriptors, and says nothing about them.
  private static func isSocket(_ path: String) -> Bool? {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return errno == ENOENT ? false : nil }
    return status.st_mode & S_IFMT == S_IFSOCK
  }
}
