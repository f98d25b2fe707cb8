import BusContract
import DBus
import LaunchServicesTesting
import Testing

/// What the user manager of a testbed says about the units of applications.
@MainActor struct UserUnits {
  let world: Testbed

  /// The unit that the daemon tells of a running application.
  func unit(of identifier: String) async throws -> String? {
    try await world.client.running()
      .first { $0["bundle-identifier"]?.asString == identifier }?["unit"]?.asString
  }

  func property(
    _ name: String, of unit: String, _ interface: InterfaceName = ServiceManagerContract.service
  ) async throws -> Value? {
    let path = try #require(ObjectPath(objectPath(of: unit)))
    let answer = try await world.client.call(
      ServiceManagerContract.property(name, of: interface, at: path))
    guard case .variant(let value)? = answer.first else { return nil }
    return value
  }

  func state(of unit: String) async throws -> String? {
    try await property("ActiveState", of: unit, "org.freedesktop.systemd1.Unit")?.asString
  }

  func stop(_ unit: String) async throws {
    _ = try await world.client.call(
      ServiceManagerContract.call(.stopUnit, [.string(unit), .string("replace")]))
  }

  /// As `systemctl --user kill` does.
  func kill(_ unit: String, _ signal: Int32) async throws {
    _ = try await world.client.call(
      .call(
        to: ServiceManagerContract.name, path: "/org/freedesktop/systemd1",
        interface: ServiceManagerContract.manager, member: "KillUnit",
        [.string(unit), .string("all"), .int32(signal)]))
  }

  private func objectPath(of unit: String) -> String {
    "/org/freedesktop/systemd1/unit/"
      + unit.utf8.map { byte in
        let character = Character(UnicodeScalar(byte))
        let digits = String(byte, radix: 16)
        return character.isLetter || character.isNumber
          ? String(character) : "_" + (digits.count < 2 ? "0" : "") + digits
      }.joined()
  }
}
