extension OpenFailure {
  /// The failure of an open on another machine, in the words of that machine.
  func there(on machine: String) -> OpenFailure {
    // The sentence may repeat secrets of the URL: the words of the handler there are a part of it.
    if case .handlerRefused = self {
      return .handlerRefused("the open failed on \(machine)", words: sentence)
    }
    return withSentence("on \(machine): \(sentence)")
  }

  /// The failure with the setting that names the device: the opener has named none.
  var namingCallsFrom: OpenFailure {
    withSentence("\(sentence); the setting CallsFrom of launchservicesd names this device")
  }

  /// The failure with the rule of the user that sent the URL to a machine, and with the command that opens such URLs here
  /// again: the opener has named no machine.
  /// - Parameter rule: what the rule is about; nil without one.
  func naming(_ rule: MachineRules.Subject?, to device: Device) -> OpenFailure {
    guard let rule else { return self }
    let remark =
      "; your rule sends \(rule) to \(device.name): to open \(rule) here, use lsregister remote keep"
      + " \(device.id) \(rule.shellWord)"
    if case .handlerRefused(let sentence, let words) = self {
      return .handlerRefused(sentence + remark, words: words)
    }
    return withSentence(sentence + remark)
  }

  /// A failure of the same kind.
  private func withSentence(_ sentence: String) -> OpenFailure {
    switch self {
    case .invalidURL: .invalidURL(sentence)
    case .applicationNotFound: .applicationNotFound(sentence)
    case .ambiguousHandler: .ambiguousHandler(sentence)
    case .noExecutable: .noExecutable(sentence)
    case .launchFailed: .launchFailed(sentence)
    case .launchTimedOut: .launchTimedOut(sentence)
    case .handlerExited: .handlerExited(sentence)
    case .handlerRefused: .handlerRefused(sentence)
    case .handlerTimedOut: .handlerTimedOut(sentence)
    case .notPermitted: .notPermitted(sentence)
    case .confirmationDeclined: .confirmationDeclined(sentence)
    case .confirmationUnavailable: .confirmationUnavailable(sentence)
    case .cancelled: .cancelled(sentence)
    case .limitExceeded: .limitExceeded(sentence)
    case .shuttingDown: .shuttingDown(sentence)
    case .deliveryUnknown: .deliveryUnknown(sentence)
    case .noSuchFile: .noSuchFile(sentence)
    case .documentUnreachable: .documentUnreachable(sentence)
    case .deviceUnavailable: .deviceUnavailable(sentence)
    }
  }
}
