internal import Commands
internal import FoundationEssentials
internal import Glibc
internal import LaunchServicesTesting
internal import Reports
internal import StubApplications

/// `lstest run` and `lstest check`.
extension TestCommand {
  func run(
    _ arguments: [String], _ invocation: TestInvocation
  ) async throws(CommandFailure) -> TestStatus {
    let files = try ScenarioFiles(folder: folder).find(arguments)
    let hasBus = hasBus(invocation)
    var results = TestResults(invocation, output, folder: folder)
    try results.begin()
    for file in files {
      let suite = await suite(of: file, invocation, hasBus: hasBus, &results)
      results.add(suite)
      Interruption.shared.onSignal = nil
      if let signal = Interruption.shared.signal {
        try results.end(prints: signal != SIGPIPE)
        if signal != SIGPIPE { output.complain("ended by \(Interruption.name(signal))") }
        exit(Interruption.status(signal))
      }
    }
    return try results.end()
  }

  func check(
    _ arguments: [String], _ invocation: TestInvocation
  ) throws(CommandFailure) -> TestStatus {
    let files = try ScenarioFiles(folder: folder).find(arguments)
    let reader = ScenarioReader(definitions: invocation.definitions, folder: folder)
    var results = TestResults(invocation, output, folder: folder)
    try results.begin()
    for file in files {
      var suite = Report.Suite(reader.shown(file), file: reader.shown(file))
      let scenario: Scenario?
      var problems: [ScenarioProblem] = []
      do throws(ScenarioProblems) {
        scenario = try read(file, reader)
      } catch {
        scenario = nil
        problems = error.list
      }
      if let scenario {
        suite.name = scenario.name
        problems = try ScenarioFileCheck.problems(of: scenario, shown: reader.shown)
      }
      if !problems.isEmpty { results.hasInvalidScenario = true }
      suite.cases = [
        Report.Case("valid", at: Report.Place(suite.file ?? file), problems.map(\.finding))
      ]
      results.add(suite)
    }
    return try results.end()
  }

  /// Reads a scenario that tests something. `shell` has a use for others, too.
  private func read(
    _ file: String, _ reader: ScenarioReader
  ) throws(ScenarioProblems) -> Scenario {
    let scenario = try reader.read(file)
    guard scenario.steps.isEmpty, scenario.applications.isEmpty else { return scenario }
    throw ScenarioProblems([
      ScenarioProblem(
        place: Report.Place(scenario.file), key: "",
        sentence: "has no steps and no applications, so nothing would be tested")
    ])
  }

  private func suite(
    of file: String, _ invocation: TestInvocation, hasBus: Bool, _ results: inout TestResults
  ) async -> Report.Suite {
    let reader = ScenarioReader(definitions: invocation.definitions, folder: folder)
    var suite = Report.Suite(reader.shown(file), file: reader.shown(file))
    let scenario: Scenario
    do throws(ScenarioProblems) {
      scenario = try read(file, reader)
    } catch {
      results.hasInvalidScenario = true
      suite.cases = [Report.Case("scenario", error.list.map(\.finding))]
      return suite
    }
    suite.name = scenario.name
    let keep: ((String) -> Void)? =
      invocation.keeps
      ? { [output] in output.complain("the files of \(suite.name) are kept in \($0)") } : nil
    var cases: [Report.Case] = []
    var stepsDone = 0
    do {
      try await World.run(scenario, hasBus: hasBus, keep: keep, shown: reader.shown) { world in
        cases = world.applications.map { application in
          Report.Case(
            "application \(application.identifier)", at: application.value.place,
            application.remarks)
        }
        let runner = StepRunner(world: world, explains: invocation.explains)
        for step in scenario.steps {
          let result = try await runner.run(step)
          // The step that was running has no result.
          guard Interruption.shared.signal == nil else { return }
          cases.append(result)
          stepsDone += 1
        }
      }
    } catch let problems as ScenarioProblems {
      results.hasInvalidScenario = true
      cases = [Report.Case("scenario", problems.list.map(\.finding))]
    } catch {
      // The end of the daemon is an error only when it was not wanted.
      if Interruption.shared.signal == nil {
        let problem = FileProblem(error)
        if problem != nil || (cases.isEmpty && error is TestbedFailure) { results.wasUnable = true }
        let sentence = problem?.description ?? "\(error)"
        cases.append(Report.Case("world", [Report.Finding(.error, sentence, title: "world")]))
      }
    }
    var rest = scenario.steps.dropFirst(stepsDone)
    var reason = "an earlier step ended the scenario"
    if let signal = Interruption.shared.signal {
      reason = "lstest was ended by \(Interruption.name(signal))"
      let step = rest.popFirst()
      cases.append(
        Report.Case(
          step?.name ?? "world", at: step?.place,
          [Report.Finding(.error, reason, title: "interrupted")]))
    }
    cases += rest.map { Report.Case($0.name, at: $0.place, skipped: reason) }
    suite.cases = cases
    return suite
  }
}
