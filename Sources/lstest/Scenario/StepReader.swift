internal import BusContract
internal import Commands
internal import LaunchRules
internal import Reports
internal import StubApplications

/// Reads the steps of a scenario.
struct StepReader {
  /// The folder at which relative paths begin.
  let folder: String

  func read(_ values: [ScenarioValue]) -> [ScenarioStep] {
    var names: Set<String> = []
    return values.compactMap { value in
      guard var step = read(value) else { return nil }
      // Names are unique, because CI services compare runs by them.
      let name = step.name
      var count = 1
      while !names.insert(step.name).inserted {
        count += 1
        step.name = "\(name) (\(count))"
      }
      return step
    }
  }

  private func read(_ value: ScenarioValue) -> ScenarioStep? {
    guard let keys = value.keys(StepKey.self) else { return nil }
    let actions = StepKey.actions.filter { keys[$0] != nil }
    guard actions.count == 1, let kind = actions.first, let subject = keys[kind] else {
      let known = StepKey.actions.map(\.rawValue).joined(separator: ", ")
      value.report(
        actions.isEmpty
          ? "has no action; write one of \(known)"
          : "has \(actions.count) actions, \(actions.map(\.rawValue).joined(separator: " and "));"
            + " write one step for each")
      return nil
    }
    for (key, odd) in keys
    where ![kind, .name, .expect].contains(key) && !kind.companions.contains(key) {
      odd.report("does not belong to \(kind.rawValue)")
    }
    guard let action = action(kind, subject, keys) else { return nil }
    var step = ScenarioStep(
      action: action, name: keys[.name]?.text() ?? action.description, place: value.place)
    if let value = keys[.actAs], let name = value.tree.asString {
      step.opener = ScenarioOpener(name: name, place: value.place, key: value.key)
    }
    if let answer = keys[.answer]?.word(AnswerWord.self) { step.allows = answer == .allow }
    if let expect = keys[.expect] { step.expectation = expectation(expect, of: action) }
    return step
  }

  private func action(
    _ kind: StepKey, _ subject: ScenarioValue, _ keys: [StepKey: ScenarioValue]
  ) -> ScenarioStep.Action? {
    let opener = keys[.actAs]?.text()
    let handler = keys[.handler]?.text()
    switch kind {
    case .openDocuments:
      let paths = subject.texts().map { FilePath.absolute($0, from: folder) }
      if subject.tree.asArray?.isEmpty == true {
        subject.report("is empty; name at least one document")
      }
      return paths.isEmpty ? nil : .openDocuments(paths, handler: handler)
    case .restartDaemon:
      if case .boolean(true) = subject.tree { return .restartDaemon(kills: false) }
      guard case .string = subject.tree, subject.word(RestartWord.self) != nil else {
        subject.report("must be true, or kill to end the daemon like a crash")
        return nil
      }
      return .restartDaemon(kills: true)
    default: break
    }
    guard let text = subject.text() else { return nil }
    switch kind {
    case .open: return .open(text, opener: opener, handler: handler)
    case .click: return .click(text, opener: opener)
    case .canOpen: return .canOpen(text, opener: opener)
    case .launch: return .launch(text)
    case .kill: return .kill(text)
    case .quickAction:
      guard let application = keys[.application]?.text() else {
        subject.report("needs the application: write its identifier under the key of")
        return nil
      }
      return .quickAction(text, application: application)
    default: return nil
    }
  }

  private func expectation(
    _ value: ScenarioValue, of action: ScenarioStep.Action
  ) -> Expectation {
    var expected = Expectation()
    // Short forms: the application that gets it, or the answer.
    switch value.tree {
    case .string:
      expected.handler = value.text()
      if !action.allows(.handler) { value.report("is no result of \(action.kind)") }
      return expected
    case .boolean(let answer):
      expected.answer = answer
      if !action.allows(.answer) { value.report("is an answer, which only can-open has") }
      return expected
    default: break
    }
    guard let keys = value.keys(ExpectKey.self) else { return expected }
    for (key, odd) in keys where !action.allows(key) {
      odd.report("is no result of \(action.kind)")
    }
    expected.handler = keys[.handler]?.text()
    expected.launch = keys[.launch]?.word(LaunchWord.self)?.rawValue
    expected.delivery = keys[.delivery]?.word(DeliveryWord.self)?.rawValue
    expected.isHandled = keys[.handled]?.flag()
    if let callback = keys[.callback] { expected.callback = self.callback(callback) }
    expected.received = keys[.receives]?.texts()
    expected.isLink = keys[.link]?.flag()
    expected.source = keys[.source]?.text()
    expected.error = keys[.error].flatMap(error)
    expected.answer = keys[.answer]?.flag()
    expected.reason = keys[.reason]?.text()
    if let code = keys[.code], let word = code.word(CanOpenCode.self) {
      expected.code = word.rawValue
      if expected.answer == true { code.report("is a reason for no, but the step expects yes") }
      expected.answer = false
    }
    expected.asks = keys[.asks]?.flag()
    expected.prints = keys[.prints]?.text()
    if expected.error != nil,
      let odd = [.handler, .launch, .delivery, .handled, .callback, .receives, .link, .source]
        .compactMap({ keys[$0] }).first
    {
      odd.report("is a result of success, but the step expects an error")
    }
    return expected
  }

  /// The name of an error of the contract, with or without its prefix, or of another D-Bus error.
  private func error(_ value: ScenarioValue) -> String? {
    guard let text = value.text() else { return nil }
    let prefix = OpenFailure.prefix
    let name = text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text
    let known = OpenFailure.all.map(\.name) + Self.otherErrors
    guard !known.contains(name), name != text || !text.contains(".") else { return text }
    let nearest = NearestName.of(name, among: known)
    value.report(
      "'\(text)' is not an error; "
        + (nearest.map { "did you mean \($0)?" }
          ?? "the errors are \(known.joined(separator: ", "))"))
    return nil
  }

  /// The errors of the contract besides those of an open.
  private static let otherErrors = ["NotRegistered", "NotRunning"]

  private func callback(_ value: ScenarioValue) -> String? {
    guard let text = value.text() else { return nil }
    guard text == Expectation.none || StubEvent.Callback(rawValue: text) != nil else {
      value.report(
        "'\(text)' is not a callback; the callbacks are \(StubEvent.Callback.names), and none")
      return nil
    }
    return text
  }
}

extension ScenarioStep.Action {
  /// The key of the action.
  var kind: String {
    switch self {
    case .open: StepKey.open.rawValue
    case .click: StepKey.click.rawValue
    case .openDocuments: StepKey.openDocuments.rawValue
    case .canOpen: StepKey.canOpen.rawValue
    case .quickAction: StepKey.quickAction.rawValue
    case .launch: StepKey.launch.rawValue
    case .kill: StepKey.kill.rawValue
    case .restartDaemon: StepKey.restartDaemon.rawValue
    }
  }

  func allows(_ key: ExpectKey) -> Bool {
    switch self {
    case .canOpen: [.answer, .reason, .code].contains(key)
    case .kill, .restartDaemon: false
    case .open, .click, .openDocuments, .quickAction, .launch: ![.answer, .code].contains(key)
    }
  }

  /// The name of a step that has none.
  var description: String {
    func text(_ subject: String, _ other: String?, _ preposition: String = "as") -> String {
      "\(kind) \(subject)" + (other.map { " \(preposition) \($0)" } ?? "")
    }
    switch self {
    case .open(let url, let opener, let handler):
      return text(url, opener) + (handler.map { " with \($0)" } ?? "")
    case .click(let url, let opener), .canOpen(let url, let opener): return text(url, opener)
    case .openDocuments(let paths, let handler):
      let names = paths.map { $0.split(separator: "/").last.map(String.init) ?? $0 }
      return text(names.joined(separator: " "), handler, "with")
    case .quickAction(let type, let application): return text(type, application, "of")
    case .launch(let application), .kill(let application): return "\(kind) \(application)"
    case .restartDaemon(let kills): return kills ? "kill and restart the daemon" : kind
    }
  }
}
