internal import CDBus
package import DBus
internal import Dispatch
internal import Events
internal import Glibc

/// A socket of this process's own, where others connect with no bus between. libdbus lets in processes of
/// this user, and of root.
@MainActor @safe package final class Listener {
  private let raw: OpaquePointer
  private let accept: (OpaquePointer) -> Void
  private var watch: DescriptorWatch?
  /// Given up for a moment to turn connections away when no other descriptor is left.
  private var spare = reserve()
  private var isShort = false
  /// Called when descriptors have run out, once for each time that lasts.
  package var onShortage: (() -> Void)?

  /// - Parameters:
  ///   - path: of the socket; one that is there already is replaced.
  ///   - name: names a new connection, which is the sender of its messages; nil turns it away.
  ///   - accept: gets the connection and its name.
  package init(
    path: String, name: @escaping () -> String?, accept: @escaping (Connection, String) -> Void
  ) throws(BusError) {
    guard let escaped = unsafe dbus_address_escape_value(path) else {
      throw .failed("libdbus ran out of memory")
    }
    defer { unsafe dbus_free(escaped) }
    let address = unsafe "unix:path=" + String(cString: escaped)
    let raw = try unsafe BusError.catching { unsafe dbus_server_listen(address, $0) }
    unsafe self.raw = unsafe raw
    // libdbus lets everybody connect, and sends others away later.
    _ = unsafe chmod(path, 0o600)
    unsafe self.accept = { raw in
      if let name = name() { accept(unsafe Connection(accepting: raw, name: name), name) }
    }
    // Only what the kernel says of a process counts; other ways read files, and wait for their locks.
    let external = unsafe strdup("EXTERNAL")
    defer { unsafe free(external) }
    var mechanisms: [UnsafePointer<CChar>?] = unsafe [UnsafePointer(external), nil]
    let isSet = unsafe dbus_server_set_auth_mechanisms(raw, &mechanisms)
    precondition(isSet != 0, "libdbus ran out of memory")
    let own = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe dbus_server_set_new_connection_function(raw, accepted, own, nil)
    let isWatched = unsafe dbus_server_set_watch_functions(
      raw, beginWatching, endWatching, toggle, own, nil)
    precondition(isWatched != 0, "libdbus ran out of memory")
  }

  /// Takes no more connections, and removes the socket, or what is in its place.
  package func stop() {
    unsafe dbus_server_set_new_connection_function(raw, nil, nil, nil)
    unsafe dbus_server_disconnect(raw)
  }

  isolated deinit {
    stop()
    unsafe dbus_server_unref(raw)
    close(spare)
  }

  private func handle(_ watch: OpaquePointer) {
    // Another thread may have got the last descriptor.
    if spare < 0 { spare = reserve() }
    guard spare >= 0 else { return pause() }
    let probe = fcntl(spare, F_DUPFD_CLOEXEC, 3)
    let wasShort = isShort
    isShort = probe < 0
    close(isShort ? spare : probe)
    // A connection that is left in the queue would be announced again and again.
    _ = unsafe dbus_watch_handle(watch, UInt32(DBUS_WATCH_READABLE.rawValue))
    guard isShort else { return }
    spare = reserve()
    if !wasShort { onShortage?() }
  }

  /// Looks for connections again a little later.
  private func pause() {
    watch?.wait(for: [])
    DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(100)) { [weak self] in
      MainActor.assumeIsolated { self?.watch?.wait(for: .reading) }
    }
  }

  private static func listener(_ data: UnsafeMutableRawPointer?) -> Listener? {
    unsafe data.map { unsafe Unmanaged<Listener>.fromOpaque($0).takeUnretainedValue() }
  }

  fileprivate static func take(_ raw: OpaquePointer, _ data: UnsafeMutableRawPointer?) {
    guard let listener = unsafe listener(data), !listener.isShort else { return }
    unsafe listener.accept(raw)
  }

  fileprivate static func watch(_ watch: OpaquePointer, _ data: UnsafeMutableRawPointer?) {
    let listener = unsafe listener(data)
    listener?.watch = unsafe DescriptorWatch(
      closing: duplicate(dbus_watch_get_unix_fd(watch))
    ) { [weak listener] in
      unsafe listener?.handle(watch)
    }
  }

  fileprivate static func unwatch(_ data: UnsafeMutableRawPointer?) {
    unsafe listener(data)?.watch = nil
  }
}

private func reserve() -> Int32 { unsafe open("/dev/null", O_RDONLY | O_CLOEXEC) }

// What libdbus calls, which it does on the thread that uses it: the main thread.

private func accepted(_: OpaquePointer?, _ raw: OpaquePointer?, _ data: UnsafeMutableRawPointer?) {
  nonisolated(unsafe) let (raw, data) = unsafe (raw, data)
  MainActor.assumeIsolated {
    if let raw = unsafe raw { unsafe Listener.take(raw, data) }
  }
}

private func beginWatching(_ watch: OpaquePointer?, _ data: UnsafeMutableRawPointer?) -> dbus_bool_t
{
  nonisolated(unsafe) let (watch, data) = unsafe (watch, data)
  MainActor.assumeIsolated {
    if let watch = unsafe watch { unsafe Listener.watch(watch, data) }
  }
  return 1
}

private func endWatching(_: OpaquePointer?, _ data: UnsafeMutableRawPointer?) {
  nonisolated(unsafe) let data = unsafe data
  MainActor.assumeIsolated { unsafe Listener.unwatch(data) }
}

/// libdbus does this only when it runs out of memory.
private func toggle(_: OpaquePointer?, _: UnsafeMutableRawPointer?) {}
