import BusContract
import Testing

@Suite("The socket for direct connections") struct DirectSocketTests {
  private func path(_ environment: [String: String]) -> String? {
    DirectSocket.path { environment[$0] }
  }

  @Test(
    "is the same however the address of the bus was learnt",
    arguments: [
      nil, "unix:path=/run/user/7/bus", "unix:path=/run/user/7/bus,guid=0123456789abcdef",
    ])
  func spellings(_ address: String?) throws {
    var environment = ["XDG_RUNTIME_DIR": "/run/user/7"]
    let usual = path(environment)
    environment["DBUS_SESSION_BUS_ADDRESS"] = address
    #expect(path(environment) == usual)
    #expect(try #require(usual).hasPrefix("/run/user/7/launch-services/"))
  }

  @Test("is another for another bus") func others() {
    let buses = ["unix:path=/tmp/a", "unix:path=/tmp/b", "unix:abstract=/tmp/a"].map {
      path(["XDG_RUNTIME_DIR": "/run/user/7", "DBUS_SESSION_BUS_ADDRESS": $0])
    }
    #expect(Set(buses).count == 3)
  }

  @Test("is nowhere without a folder of the user") func nowhere() {
    #expect(path(["DBUS_SESSION_BUS_ADDRESS": "unix:path=/tmp/a"]) == nil)
    #expect(path(["XDG_RUNTIME_DIR": "run"]) == nil)
  }
}
