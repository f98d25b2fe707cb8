internal import CHost
internal import Glibc

/// The memory that this process could return to the system.
package enum SpareMemory {
  /// The private resident memory of this process (heap and stacks) in bytes; 0 when it cannot be read.
  package static var inUse: Int {
    let file = (try? RegularFile.read("/proc/self/statm", atMost: 256).bytes) ?? []
    // In pages: size, resident, shared and more.
    let fields = file.split(separator: UInt8(ascii: " ")).map {
      Int(String(decoding: $0, as: UTF8.self)) ?? 0
    }
    return fields.count > 2 ? (fields[1] - fields[2]) * Int(sysconf(Int32(_SC_PAGESIZE))) : 0
  }

  /// Has the memory of large messages returned to the system as soon as they are released.
  package static func returnLargeBlocks() { chost_return_large_blocks() }

  /// Returns free heap memory and the resident pages of programs and libraries. Pages that are needed again are
  /// mapped from the page cache.
  package static func giveBack() {
    chost_trim_heap()
    guard let maps = try? RegularFile.read("/proc/self/maps", atMost: 1 << 20).bytes else { return }
    for line in maps.split(separator: UInt8(ascii: "\n")) {
      // A line such as `55d0c2e00000-55d0c3c34000 r-xp 00a4b000 08:01 1234 /usr/bin/launchservicesd`.
      let fields = String(decoding: line, as: UTF8.self).split(separator: " ")
      guard fields.count == 6, fields[1] == "r-xp", fields[5].hasPrefix("/") else { continue }
      let bounds = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
      guard bounds.count == 2, let start = unsafe UnsafeMutableRawPointer(bitPattern: bounds[0])
      else { continue }
      // The mapping is read-only, so no data is lost.
      unsafe madvise(start, Int(bounds[1] - bounds[0]), MADV_DONTNEED)
    }
  }
}
