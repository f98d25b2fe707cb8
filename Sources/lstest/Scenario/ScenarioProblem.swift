internal import Reports

/// A reason why a scenario cannot be run.
struct ScenarioProblem: Error, Hashable {
  /// The file, and the line of the key.
  var place: Report.Place
  /// The path of the key, such as `steps[2].expect.launch`; empty for the whole file.
  var key: String
  /// A sentence without its full stop: what is wrong, and what to do.
  var sentence: String

  /// The problem with its key.
  var message: String { key.isEmpty ? sentence : "\(key): \(sentence)" }

  var finding: Report.Finding {
    Report.Finding(.error, message, title: "invalid scenario", at: place)
  }
}

/// The reasons why a scenario cannot be run, in the order of the file where possible.
struct ScenarioProblems: Error {
  var list: [ScenarioProblem]

  init(_ list: [ScenarioProblem]) { self.list = list }
}
