internal import BusContract
internal import Commands
internal import DBus
internal import LaunchServicesTesting
internal import Reports
internal import StubApplications

/// Performs the steps of a scenario in its world.
struct StepRunner {
  let world: World
  /// Whether the steps of each decision are reported, also when the step passes.
  let explains: Bool

  /// - Throws: an error of the world, after which no further step is possible.
  func run(_ step: ScenarioStep) async throws -> Report.Case {
    let start = ContinuousClock.now
    var result = StepResult()
    var differences: [String] = []
    world.allows = step.allows
    _ = world.takeEvents()
    let printed = world.printedLines
    switch step.action {
    case .kill(let application):
      if try await !world.kill(application) { differences.append("\(application) does not run") }
    case .restartDaemon(let kills): try await world.restartDaemon(kills: kills)
    default:
      do {
        try await perform(step.action, &result)
      } catch let refusal as Refusal {
        differences.append("nothing was done: \(refusal.shortName): \(refusal.text)")
      }
    }
    result.events = world.takeEvents()
    result.questions = world.takeQuestions()
    differences +=
      ExpectationCheck(
        expected: step.expectation, result: result,
        stubs: world.stubs
      ).differences
    if let text = step.expectation.prints, await !prints(text, beyond: printed) {
      differences.append("no line with '\(text)' was printed within \(Self.patience)")
    }
    var details = result.explanationLines.map { "explain: \($0)" }
    if !differences.isEmpty { details += await printedLines(beyond: printed, result) }
    var findings: [Report.Finding] = []
    if !differences.isEmpty {
      findings = [
        Report.Finding(
          .failure, differences.joined(separator: "; "), title: step.name, at: step.place,
          details: details)
      ]
    } else if explains, !details.isEmpty {
      findings = [Report.Finding(.notice, "the decision", at: step.place, details: details)]
    }
    return Report.Case(
      step.name, at: step.place, findings, duration: ContinuousClock.now - start,
      output: result.events.map(\.sentence))
  }

  private func perform(_ action: ScenarioStep.Action, _ result: inout StepResult) async throws {
    let client = world.client
    switch action {
    case .open(let url, let opener, let handler):
      var query = QueryOptions(actAs: opener, application: handler)
      query.isLink = false
      var options = OpenOptions()
      options.actAs = opener
      options.application = handler
      try await open(url, options, query, &result)
    case .click(let url, let opener):
      var options = OpenOptions()
      options.actAs = opener
      options.isLink = true
      try await open(url, options, QueryOptions(actAs: opener, isLink: true), &result)
    case .openDocuments(let paths, let handler):
      do throws(Refusal) {
        let fates = try await client.openDocuments(paths.map(FilePath.url), with: handler)
        result.answers = fates.compactMap { fate in
          fate.refusal.map { .failure($0) } ?? fate.receipt.map { .success($0) }
        }
      } catch {
        result.answers = [.failure(error)]
      }
    case .canOpen(let url, let opener):
      result.explanation = try? await client.explain(url, as: opener)
      result.canOpen = try await client.canOpen(url, as: opener)
    case .quickAction(let type, let application):
      result.answers = await answers { () async throws(Refusal) in
        try await client.performQuickAction(type, of: application)
      }
    case .launch(let application):
      result.answers = await answers { () async throws(Refusal) in
        try await client.openApplication(application)
      }
    case .kill, .restartDaemon: break
    }
  }

  private func open(
    _ url: String, _ options: OpenOptions, _ query: QueryOptions, _ result: inout StepResult
  ) async throws {
    result.explanation = try? await world.client.explain(url, query)
    let client = world.client
    result.answers = await answers { () async throws(Refusal) in
      try await client.open(url, options)
    }
  }

  private func answers(
    _ body: () async throws(Refusal) -> LaunchServicesTesting.Receipt
  ) async -> [Result<LaunchServicesTesting.Receipt, Refusal>] {
    do throws(Refusal) {
      return [.success(try await body())]
    } catch {
      return [.failure(error)]
    }
  }

  // MARK: Output of applications

  /// How long a line of an application may take after its open was answered.
  private static let patience = Duration.seconds(5)

  /// The maximum number of lines of programs that a report has.
  private static let mostLines = 20

  /// The last lines that programs of applications have printed, for a report.
  private func printedLines(beyond counts: [Int], _ result: StepResult) async -> [String] {
    // What an application printed before the daemon answered is read before the answer to another call.
    _ = try? await world.client.running()
    // Stubs print their events, which the report has.
    let events = Set(result.events.map(\.sentence))
    return world.lines(beyond: counts)
      .filter { !$0.hasPrefix("launchservicesd: ") && !events.contains($0) }
      .suffix(Self.mostLines).map { "printed: \($0)" }
  }

  private func prints(_ text: String, beyond counts: [Int]) async -> Bool {
    do {
      try await waitUntil("a line with \(text)", within: Self.patience) {
        world.lines(beyond: counts).contains { $0.contains(text) }
      }
      return true
    } catch {
      return false
    }
  }
}
