internal import Glibc

extension ProcessDetails {
  /// `.flatpak-info` at the root that the process has; nil when that is the root of this process, when
  /// there is no such file, or when it is not a regular one of at most 64 KiB.
  ///
  /// Whoever made the root wrote the file: Flatpak for its sandboxes, but any process may make a root for
  /// its children. It says nothing about a process that is known by more.
  package var flatpakFile: [UInt8]? {
    guard let folder = try? Descriptor(opening: "/proc/\(pid)", O_RDONLY | O_DIRECTORY) else {
      return nil
    }
    var root = stat()
    guard unsafe fstatat(folder.number, "root", &root, 0) == 0,
      FileStamp(root).identity != FileIdentity(path: "/")
    else { return nil }
    // Through the one folder, as all else; a FIFO must not make us wait, nor a link lead out again.
    let number = unsafe openat(
      folder.number, "root/.flatpak-info",
      O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY, 0)
    guard number >= 0 else {
      DescriptorShortage.recordFailure()
      return nil
    }
    let file = Descriptor(adopting: number)
    guard let status = try? file.status(), status.st_mode & S_IFMT == S_IFREG,
      status.st_size <= 65536, let bytes = try? file.readAll(stoppingPast: 65536),
      bytes.count <= 65536, ProcessDetails(of: pid)?.startTime == startTime
    else { return nil }
    return bytes
  }
}

/// The process that a pidfd stands for; nil when it has ended and was reaped, or when the descriptor is
/// none.
package func processNumber(of descriptor: Int32) -> Int32? {
  guard let file = try? Descriptor(opening: "/proc/self/fdinfo/\(descriptor)", O_RDONLY),
    let bytes = try? file.readAll(stoppingPast: 4096)
  else { return nil }
  for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
    guard line.hasPrefix("Pid:"), let number = Int32(line.dropFirst(4).drop { $0 == "\t" }) else {
      continue
    }
    return number > 0 ? number : nil
  }
  return nil
}
