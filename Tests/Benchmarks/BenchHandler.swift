internal import BusContract
internal import DBus
internal import Glibc

/// The least a handler can be: it checks in and says of every URL that it was handled.
@MainActor
enum BenchHandler {
  static func run() {
    do throws(BusError) {
      let connection = try Connection()
      _ = try connection.callAndWait(Contract.checkIn(CheckInOptions(token: getToken())))
      _ = try connection.callAndWait(Contract.finishLaunching(will: nil, did: nil))
      connection.serve { call in
        let urls = call.arguments().first?.elements ?? []
        call.succeed([.booleans(urls.map { _ in true })])
      }
    } catch {
      exit(1)
    }
  }

  private static func getToken() -> String? {
    unsafe getenv(Contract.tokenVariable).map { unsafe String(cString: $0) }
  }
}
