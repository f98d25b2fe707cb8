internal import CDBus
internal import Glibc

extension Connection {
  /// Connects to the session bus of the environment.
  ///
  /// Without an address in the environment, libdbus tries to start a bus with X11, and its error is about X11. The
  /// error of this initialiser names the missing variable instead.
  static func openSessionBus() throws(BusError) -> OpaquePointer {
    do throws(BusError) {
      return try unsafe BusError.catching { unsafe dbus_bus_get_private(DBUS_BUS_SESSION, $0) }
    } catch  where error.isOfAutolaunch {
      throw BusError(
        error.name,
        "DBUS_SESSION_BUS_ADDRESS is not set, and there is no $XDG_RUNTIME_DIR/bus")
    }
  }
}

extension BusError {
  fileprivate var isOfAutolaunch: Bool {
    let address = unsafe getenv("DBUS_SESSION_BUS_ADDRESS")
    guard unsafe address == nil || address?.pointee == 0 else { return false }
    return name == .notSupported
      || name.text.hasPrefix(ErrorName.spawnPrefix)
  }
}
