import BusContract
import DBus
import LaunchRules
import Testing

@Suite("The interface of KDE Connect") struct KDEConnectContractTests {
  @Test(
    "the properties of 22.12 and of 23.08 are read",
    arguments: [("isTrusted", true), ("isPaired", true), ("isPaired", false)])
  func properties(_ key: String, _ isPaired: Bool) throws {
    let device = try #require(
      KDEConnectContract.device(
        "a1",
        [
          "name": .string("Pixel"), "type": .string("smartphone"), key: .boolean(isPaired),
          "isReachable": .boolean(true),
        ]))
    #expect(device.name == "Pixel" && device.kind == .phone && device.isReachable)
    #expect(device.isPaired == isPaired)
  }

  @Test("properties of a wrong type count as missing") func lies() throws {
    let device = try #require(
      KDEConnectContract.device("a1", ["name": .uint32(1), "isPaired": .string("true")]))
    #expect(device.name == "a1" && device.kind == .unknown)
    #expect(!device.isPaired && !device.isReachable)
    #expect(KDEConnectContract.device("a-1", [:]) == nil)
  }

  @Test(
    "an error says whether the URL was sent",
    arguments: [
      ("UnknownObject", DeviceRule.Answer.absent("x")), ("UnknownMethod", .absent("x")),
      ("ServiceUnknown", .absent("x")), ("NoReply", .unanswered("x")),
      ("Timeout", .unanswered("x")), ("Disconnected", .unanswered("x")), ("Failed", .refused("x")),
    ])
  func errors(_ name: String, _ answer: DeviceRule.Answer) throws {
    let name = try #require(ErrorName("org.freedesktop.DBus.Error.\(name)"))
    #expect(KDEConnectContract.answer(.failure(BusError(name, "x"))) == answer)
    #expect(KDEConnectContract.answer(.failure(BusError("org.example.Odd", "x"))) == .refused("x"))
    #expect(KDEConnectContract.answer(.success([])) == .taken)
  }
}
