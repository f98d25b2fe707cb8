internal import CDBus
package import DBus
internal import Dispatch
internal import Events
internal import Glibc

/// A socket of this process to which other processes connect without the bus. libdbus accepts processes of this user
/// and of root.
@MainActor @safe package final class Listener {
  private let raw: OpaquePointer
  private let accept: (OpaquePointer) -> Void
  /// The socket at the path, until the server of libdbus has it; -1 afterwards.
  private var socket: Int32
  private var watch: DescriptorWatch?
  /// A spare descriptor, closed to accept and close a connection when no other descriptor is left.
  private var spare = reserve()
  private var isShort = false
  /// Called once when descriptors have run out, and again only after descriptors were available.
  package var onShortage: (() -> Void)?

  /// The proof that the handshake requires of the process that connects.
  package enum Authentication: String {
    /// The kernel says that the process belongs to this user, or to root.
    case user = "EXTERNAL"
    /// None: the permissions of the socket and its folder decide who connects. The process may pass on the bytes of
    /// another machine, and have another user in a container.
    case anonymous = "ANONYMOUS"
  }

  /// - Parameters:
  ///   - path: of the socket; an existing socket is replaced.
  ///   - name: returns the name of a new connection, which becomes the sender of its messages; nil closes it.
  ///   - accept: receives the connection and its name.
  package init(
    path: String, authentication: Authentication = .user, name: @escaping () -> String?,
    accept: @escaping (Connection, String) -> Void
  ) throws(BusError) {
    // A socket of libdbus at a path is open to all users for a moment, and its chmod(2) follows symbolic links. Therefore the
    // server of libdbus gets this socket in the place of its own, which has a random name and no file.
    let socket = try listen(atSocket: path)
    let raw: OpaquePointer
    do throws(BusError) {
      let name = (0..<2).map { _ in String(UInt64.random(in: 0 ... .max), radix: 36) }.joined()
      unsafe raw = try unsafe BusError.catching {
        unsafe dbus_server_listen("unix:abstract=launch-services-\(name)", $0)
      }
    } catch {
      close(socket)
      throw error
    }
    unsafe self.raw = unsafe raw
    self.socket = socket
    unsafe self.accept = { raw in
      if authentication == .anonymous { unsafe dbus_connection_set_allow_anonymous(raw, 1) }
      if let name = name() { accept(unsafe Connection(accepting: raw, name: name), name) }
    }
    // One mechanism only: others read files and wait for locks on them.
    let mechanism = unsafe strdup(authentication.rawValue)
    defer { unsafe free(mechanism) }
    var mechanisms: [UnsafePointer<CChar>?] = unsafe [UnsafePointer(mechanism), nil]
    let isSet = unsafe dbus_server_set_auth_mechanisms(raw, &mechanisms)
    precondition(isSet != 0, "libdbus ran out of memory")
    let own = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe dbus_server_set_new_connection_function(raw, accepted, own, nil)
    let isWatched = unsafe dbus_server_set_watch_functions(
      raw, beginWatching, endWatching, toggle, own, nil)
    precondition(isWatched != 0, "libdbus ran out of memory")
  }

  /// Accepts no more connections. The file at the path of the socket remains.
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
    // Another thread may have taken the last descriptor.
    if spare < 0 { spare = reserve() }
    guard spare >= 0 else { return pause(for: .milliseconds(100)) }
    let probe = fcntl(spare, F_DUPFD_CLOEXEC, 3)
    let wasShort = isShort
    isShort = probe < 0
    close(isShort ? spare : probe)
    // The descriptor stays readable as long as a connection waits in the queue.
    _ = unsafe dbus_watch_handle(watch, UInt32(DBUS_WATCH_READABLE.rawValue))
    guard isShort else { return }
    spare = reserve()
    if !wasShort { onShortage?() }
  }

  /// Accepts no more connections for this time. Connections that come meanwhile wait in the queue of the socket.
  package func pause(for time: Duration) {
    watch?.wait(for: [])
    DispatchQueue.main.asyncAfter(deadline: .now() + .nanoseconds(Int(time.nanoseconds))) {
      [weak self] in
      MainActor.assumeIsolated { self?.watch?.wait(for: .reading) }
    }
  }

  /// Puts the socket at the path in the place of the one that libdbus has made.
  private func replace(_ descriptor: Int32) {
    guard socket >= 0 else { return }
    let isReplaced =
      dup2(socket, descriptor) == descriptor && fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0
    precondition(isReplaced, "a descriptor cannot be replaced: \(errno)")
    close(socket)
    socket = -1
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
    let descriptor = unsafe dbus_watch_get_unix_fd(watch)
    listener?.replace(descriptor)
    listener?.watch = DescriptorWatch(
      closing: duplicate(descriptor)
    ) { [weak listener] in
      unsafe listener?.handle(watch)
    }
  }

  fileprivate static func unwatch(_ data: UnsafeMutableRawPointer?) {
    unsafe listener(data)?.watch = nil
  }
}

private func reserve() -> Int32 { unsafe open("/dev/null", O_RDONLY | O_CLOEXEC) }

// Callbacks of libdbus, which calls them on the thread that uses libdbus: the main thread.

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
