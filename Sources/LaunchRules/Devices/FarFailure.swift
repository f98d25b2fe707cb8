extension OpenFailure {
  /// A failure that another machine has answered, as a failure here.
  func there(on machine: String) -> OpenFailure {
    let sentence = "on \(machine): \(sentence)"
    return switch self {
    case .invalidURL: .invalidURL(sentence)
    case .applicationNotFound: .applicationNotFound(sentence)
    case .ambiguousHandler: .ambiguousHandler(sentence)
    case .noExecutable: .noExecutable(sentence)
    case .launchFailed: .launchFailed(sentence)
    case .launchTimedOut: .launchTimedOut(sentence)
    case .handlerExited: .handlerExited(sentence)
    // The sentence may repeat secrets of the URL: the words of the handler there are a part of it.
    case .handlerRefused: .handlerRefused("the open failed on \(machine)", words: self.sentence)
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
