internal import CHost
internal import Glibc

/// A thread, or a process with one thread.
struct KernelTask {
  let number: Int32

  /// The calling thread.
  static var current: KernelTask { KernelTask(number: chost_thread()) }

  /// Whether the thread waits for something else than a processor. False when it has ended.
  var sleeps: Bool {
    guard let file = try? Descriptor(opening: "/proc/\(number)/stat", O_RDONLY),
      let line = try? file.readSome(atMost: 4096)
    else { return false }
    return StatFields(line)?.isRunnable == false
  }

  /// Processor time that the thread has used, in nanoseconds. Nil when the thread has ended, and for a kernel that does not
  /// count it.
  var processorTime: UInt64? {
    guard let file = try? Descriptor(opening: "/proc/\(number)/schedstat", O_RDONLY),
      let line = try? file.readSome(atMost: 256)
    else { return nil }
    return line.split(separator: UInt8(ascii: " ")).first
      .flatMap { UInt64(String(decoding: $0, as: UTF8.self)) }
  }
}
