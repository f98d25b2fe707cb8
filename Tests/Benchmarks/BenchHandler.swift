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
  static func run(hangs: Bool = false, once: Bool = false) {
    do throws(BusError) {
      let connection = try Connection()
      _ = try connection.callAndWait(Contract.checkIn(CheckInOptions(token: getToken())))
      _ = try connection.callAndWait(Contract.finishLaunching(will: nil, did: nil))
      connection.serve { call in
        if hangs { return unanswered.append(call) }
        let urls = call.arguments().first?.elements ?? []
        call.succeed([.booleans(urls.map { _ in true })])
        if once {
          connection.flush()
          exit(0)
        }
      }
    } catch {
      exit(1)
    }
  }

  /// Connects to the bus and says so.
  static func connect() {
    guard let connection = try? Connection() else { exit(1) }
    withExtendedLifetime(connection) { _ = unsafe write(STDOUT_FILENO, "c", 1) }
  }

  /// A caller that opens 500 at a time without end. It does not wait for the opens, but for the
  /// daemon to have read them: who does not do even that is stopped by nobody but the bus.
  static func flood() {
    do throws(BusError) {
      let connection = try Connection()
      while true {
        for _ in 0..<500 {
          connection.send(
            .call(
              to: Contract.busName, path: Contract.objectPath, interface: Contract.workspace,
              member: "OpenURL", [.string(BenchWorld.hungURL), .options([:])], expectsReply: false))
        }
        _ = try connection.callAndWait(Contract.ping())
      }
    } catch {
      exit(1)
    }
  }

  private static func getToken() -> String? {
    unsafe getenv(Contract.tokenVariable).map { unsafe String(cString: $0) }
  }
}
