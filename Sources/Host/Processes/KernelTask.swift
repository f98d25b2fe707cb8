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
}
