internal import CDBus

/// The events that libdbus waits for on the descriptor of an accepted connection.
///
/// The message queue of libdbus does not show that a line of the handshake is to be written. And
/// `dbus_connection_read_write` reads nothing more from a peer that has closed the connection before it read all
/// messages sent to it, so its last messages would be lost.
@safe final class Watches {
  private var reading: OpaquePointer?
  private var writing: OpaquePointer?

  init(of connection: OpaquePointer) {
    let own = unsafe Unmanaged.passUnretained(self).toOpaque()
    let isSet = unsafe dbus_connection_set_watch_functions(
      connection,
      { watch, data in
        unsafe Watches.set(watch, data, isThere: true)
        return 1
      },
      { watch, data in unsafe Watches.set(watch, data, isThere: false) }, { _, _ in }, own, nil)
    precondition(isSet != 0, "libdbus ran out of memory")
  }

  var wantsToWrite: Bool { unsafe writing.map { unsafe dbus_watch_get_enabled($0) != 0 } ?? false }

  func exchange() {
    if let reading = unsafe reading {
      _ = unsafe dbus_watch_handle(reading, UInt32(DBUS_WATCH_READABLE.rawValue))
    }
    // The received bytes may have closed the connection.
    write()
  }

  func write() {
    if wantsToWrite, let writing = unsafe writing {
      _ = unsafe dbus_watch_handle(writing, UInt32(DBUS_WATCH_WRITABLE.rawValue))
    }
  }

  private static func set(
    _ watch: OpaquePointer?, _ data: UnsafeMutableRawPointer?, isThere: Bool
  ) {
    guard let watch = unsafe watch, let data = unsafe data else { return }
    let watches = unsafe Unmanaged<Watches>.fromOpaque(data).takeUnretainedValue()
    let value = unsafe isThere ? watch : nil
    if unsafe dbus_watch_get_flags(watch) & UInt32(DBUS_WATCH_WRITABLE.rawValue) != 0 {
      unsafe watches.writing = unsafe value
    } else {
      unsafe watches.reading = unsafe value
    }
  }
}
