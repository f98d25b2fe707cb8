internal import BusContract
internal import DBus
internal import Dispatch
internal import Glibc
internal import Host

/// The least a handler can be: it checks in and says of every URL that it was handled.
@MainActor
enum BenchHandler {
  static func run() {
    do throws(BusError) {
      let connection = try Connection()
      let session = BusSession(connection)
      session.onCall = { call in
        let urls = call.arguments().first?.elements ?? []
        call.succeed([.booleans(urls.map { _ in true })])
      }
      session.onDisconnect = { exit(0) }
      let token = getToken()
      _ = try connection.callAndWait(Contract.checkIn(CheckInOptions(token: token)))
      _ = try connection.callAndWait(Contract.finishLaunching(will: nil, did: nil))
      session.start()
      withExtendedLifetime(session) { dispatchMain() }
    } catch {
      exit(1)
    }
  }

  private static func getToken() -> String? {
    unsafe getenv(Contract.tokenVariable).map { unsafe String(cString: $0) }
  }
}
