/// How the main process of a unit ended, according to systemd.
package enum UnitEnd: Hashable, Sendable {
  case exited(code: Int32)
  case signalled(number: Int32)
  /// The exit status is unknown.
  case unknown

  /// - Parameters:
  ///   - code: `ExecMainCode`, the `si_code` of waitid(2).
  ///   - status: `ExecMainStatus`, an exit code or a signal number, depending on `code`.
  package init(code: Int32?, status: Int32?) {
    switch (code, status) {
    case (1, let status?): self = .exited(code: status)  // CLD_EXITED
    case (2, let status?), (3, let status?): self = .signalled(number: status)  // and CLD_DUMPED
    default: self = .unknown
    }
  }
}

extension UnitEnd {
  /// The reason why a unit could not start its program, or why its program ended at once.
  /// - Parameters:
  ///   - job: the result in `JobRemoved`, such as `failed`.
  ///   - result: `Result` of the service, such as `exit-code`.
  ///   - executable: the executable of the unit.
  package func launchFailure(job: String, result: String, executable: String) -> OpenFailure {
    switch (job, self) {
    case ("canceled", _): .launchFailed("\(executable): it was stopped before it had started")
    case ("timeout", _): .launchFailed("\(executable): systemd took too long to start it")
    // systemd.exec(5), "Process exit codes".
    case (_, .exited(code: 200)):
      .launchFailed("\(executable): the home folder cannot be entered by the new process")
    case (_, .exited(code: 203)):
      .noExecutable(
        "\(executable): cannot run it: it may not be executed, or is a script whose first line names"
          + " a program that is missing")
    case (_, .exited(let code)) where (201...245).contains(code):
      .launchFailed("\(executable): systemd could not set up the new process (status \(code))")
    // systemd knew of the end of the program before it knew that the program had been started.
    case (_, .exited(let code)):
      .handlerExited("\(executable) ended while launching: exited with code \(code)")
    case (_, .signalled(let number)):
      .handlerExited("\(executable) ended while launching: was ended by signal \(number)")
    case (_, .unknown):
      .launchFailed("\(executable): systemd could not start it: \(job), \(result)")
    }
  }
}
