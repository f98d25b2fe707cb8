internal import BusContract
internal import DBus
internal import LaunchRules

extension Daemon {
  /// Starts an application without a URL, or brings it to the front (R6.15).
  func openApplication(
    _ name: String, _ options: OpenOptions, _ caller: Caller, _ call: PendingCall
  ) throws(BusError) {
    let identifier = try identifier(name, "bundle_id")
    let (decision, question) = try recordingRefusal(of: identifier.text, caller, call) {
      () throws(BusError) -> (OpenRule.Decision, OpenRule.Question) in
      let acting = try self.acting(caller, as: options.actAs)
      let question = OpenRule.Question(.application(identifier), caller: caller, acting: acting)
      return (decide(question, nil, from: call.sender, isCounted: true), question)
    }
    let request = requestName(options, caller, on: call.sender)
    let asked = Asked(
      question: question, payload: .application, subject: identifier.text,
      name: request,
      fingerprint: RequestFingerprint(
        .application, "", designated: identifier, newInstance: options.newInstance),
      options: options, waiter: Waiter(call))
    try afterLookingFor(request, options, call) { [self] found throws(BusError) in
      try submit(asked, found) { decision }
    }
  }
}
