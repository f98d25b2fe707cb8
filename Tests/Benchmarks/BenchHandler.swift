internal import BusContract
internal import DBus
internal import Glibc

/// The least a handler can be: it checks in and says of every URL that it was handled.
@MainActor
enum BenchHandler {
  /// What a handler that hangs never answers.
  private static var unanswered: [PendingCall] = []

  /// - Parameters:
  ///   - hangs: It never answers.
  ///   - once: It ends when it has answered.
  ///   - direct: It hears from the daemon with no bus between, as handlers of the library do.
  static func run(hangs: Bool = false, once: Bool = false, direct: Bool = false) {
    do throws(BusError) {
      let connection = try Connection()
      _ = try connection.callAndWait(Contract.checkIn(CheckInOptions(token: getToken())))
      // Before the first URL comes.
      let serving = direct ? try hearDirectly(besides: connection) : connection
      _ = try connection.callAndWait(Contract.finishLaunching(will: nil, did: nil))
      serving.serve { call in
        if hangs { return unanswered.append(call) }
        let urls = call.arguments().first?.elements ?? []
        call.succeed([.booleans(urls.map { _ in true })])
        if once {
          serving.flush()
          exit(0)
        }
      }
    } catch {
      exit(1)
    }
  }

  private static func hearDirectly(besides bus: Connection) throws(BusError) -> Connection {
    let path = DirectSocket.path { name in
      unsafe getenv(name).map { unsafe String(cString: $0) }
    }
    guard let path else { exit(1) }
    let direct = try Connection(socket: path)
    for connection in [direct, bus] {
      guard try connection.callAndWait(Contract.deliverDirectly()).first == .boolean(true) else {
        exit(1)
      }
    }
    return direct
  }

  /// Connects to the bus and says so.
  static func connect() {
    guard let connection = try? Connection() else { exit(1) }
    withExtendedLifetime(connection) { _ = unsafe write(STDOUT_FILENO, "c", 1) }
  }

  private static func getToken() -> String? {
    unsafe getenv(Contract.tokenVariable).map { unsafe String(cString: $0) }
  }
}
