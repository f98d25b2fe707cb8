package import Host
package import LaunchRules

// Messages about a process with the name of its unit and the command that shows its log.

nonisolated extension OpenFailure {
  /// Adds the name of the unit and the command that shows its log.
  package func naming(unit: String) -> OpenFailure {
    let hint = Self.hint(unit)
    return switch self {
    case .noExecutable(let sentence): .noExecutable(sentence + hint)
    case .launchFailed(let sentence): .launchFailed(sentence + hint)
    case .launchTimedOut(let sentence): .launchTimedOut(sentence + hint)
    case .handlerTimedOut(let sentence): .handlerTimedOut(sentence + hint)
    default: self
    }
  }

  /// Adds the unit of a process that does not respond. Messages about ended processes name the unit already.
  package func namingTimeOut(unit: String) -> OpenFailure {
    switch self {
    case .launchTimedOut, .handlerTimedOut: naming(unit: unit)
    default: self
    }
  }

  fileprivate static func hint(_ unit: String) -> String {
    " (unit \(unit); its log: \(ApplicationUnit.logCommand(of: unit)))"
  }
}

nonisolated extension ProcessEnd {
  package init(_ end: UnitEnd) {
    self =
      switch end {
      case .exited(let code): .exited(code: code)
      case .signalled(let number): .signalled(number: number)
      case .unknown: .unknown
      }
  }

  /// The message for callers that waited for an answer of the process.
  package func sentence(unit: String?) -> String {
    description + (unit.map(OpenFailure.hint) ?? "")
  }
}
