internal import Glibc

extension ProcessDetails {
  /// The file `.flatpak-info` in the root folder of the process; nil when the process has the same root
  /// folder as this process, and without a regular file of at most 64 KiB that can be read at once.
  ///
  /// The creator of the root folder wrote the file: Flatpak for its sandboxes, but any process can create a
  /// root folder for its children. The file must be ignored for a process with other evidence of its
  /// identity.
  package var flatpakFile: [UInt8]? {
    guard hasOtherRoot else { return nil }
    let file = "/proc/\(pid)/root/.flatpak-info"
    return try? PromptFile.call(about: file) { () throws(Errno) in readFlatpakFile() }
  }

  private func readFlatpakFile() -> [UInt8]? {
    guard let folder = try? Descriptor(opening: "/proc/\(pid)", O_RDONLY | O_DIRECTORY) else {
      return nil
    }
    // Opened relative to the folder of the process like all other files. A FIFO must not block, and a link
    // must not lead out of the folder.
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

/// The process of a pidfd; nil when the process has ended and was reaped, and for other descriptors.
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
