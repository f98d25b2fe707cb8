import Commands
import Host
import LaunchRules
import Testing

@testable import DaemonSettings
@testable import LaunchServicesDaemon
@testable import launchservicesd

/// The options of the command line that override settings.
@MainActor @Suite("Options that override settings") struct SettingOptionTests {
  private func settings(_ arguments: [String]) throws -> Settings {
    try Configuration(arguments: arguments, environment: ["HOME": "/nonexistent"]).settings
  }

  @Test("take what the setting takes") func accepted() throws {
    var expected = Settings()
    expected.launch.timeout = 1_000_000_000
    expected.delivery.timeout = 1
    expected.registry.collisionPolicyName = .seededRandom
    expected.launch.launcher = .spawn
    expected.log.level = .error
    expected.associations.fetches = false
    let arguments = [
      "--launch-timeout", "1000000000", "--delivery-timeout", "1", "--collision-policy",
      "seeded-random", "--launcher", "spawn", "--log-level", "error", "--fetch-associations",
    ]
    #expect(try settings(arguments + ["no"]) == expected)
    #expect(try settings(arguments + ["false"]) == expected)
  }

  nonisolated static let refusedValues: [(String, String, String)] = [
    (
      "--launch-timeout", "0",
      "--launch-timeout: '0' is not allowed (whole number of seconds, 1 to 1000000000)"
    ),
    (
      "--delivery-timeout", "1s",
      "--delivery-timeout: '1s' is not allowed (whole number of seconds, 1 to 1000000000)"
    ),
    (
      "--look-interval", "1000001",
      "--look-interval: '1000001' is not allowed (whole number of seconds, 1 to 1000000)"
    ),
    (
      "--collision-policy", "",
      "--collision-policy: '' is not allowed (one of last-installed, first-installed,"
        + " ambiguous-is-error, seeded-random)"
    ),
    (
      "--log-level", "loud",
      "--log-level: 'loud' is not allowed (one of error, warning, notice, info, debug)"
    ),
    (
      "--launcher", "exec",
      "--launcher: 'exec' is not allowed (one of automatic, systemd, spawn)"
    ),
    (
      "--fetch-associations", "maybe",
      "--fetch-associations: 'maybe' is not allowed (true or false)"
    ),
    (
      "--print-settings", "html", "--print-settings: 'html' is not allowed (one of roff, markdown)"
    ),
  ]

  @Test("refuse anything else, and say what is allowed", arguments: refusedValues)
  func refused(_ option: String, _ value: String, _ message: String) {
    let failure = #expect(throws: CommandFailure.self) { try settings([option, value]) }
    #expect(failure?.reason == message)
  }

  @Test("have the help text, the range and the default of the setting") func help() {
    #expect(
      SettingsDocumentation.optionHelp(SettingsTable.collisionPolicy)
        == "rule that selects the handler when several applications have equal claims on a scheme"
        + " (one of last-installed,"
        + " first-installed, ambiguous-is-error, seeded-random; default last-installed)")
  }
}
