internal import Commands
internal import FoundationEssentials
internal import Host
internal import StubApplications

/// Reads the files that a scenario names, as for a world, without a daemon.
enum ScenarioFileCheck {
  /// - Throws: when the machine prevents the check, such as by a full disk.
  static func problems(
    of scenario: Scenario, shown: @escaping (String) -> String
  ) throws(CommandFailure) -> [ScenarioProblem] {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "lstest-check-\(UUID().uuidString)").path(percentEncoded: false)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let writer = WorldApplications(folder: folder, stub: "", log: "", shown: shown)
    var problems: [ScenarioProblem] = []
    do {
      _ = try writer.write(scenario.applications, &problems)
    } catch {
      throw CommandFailure(
        .failed,
        "\(scenario.file) cannot be checked: \(FileProblem(error)?.description ?? "\(error)")")
    }
    return problems + scenario.sites.flatMap { SiteContents.problems(of: $0, shown) }
  }
}
