internal import BusContract
internal import DBus
internal import LaunchRules

extension Daemon {
  /// Starts an application without a URL, or brings it to the front (R6.15).
  func openApplication(
    _ name: String, _ options: OpenOptions, _ caller: Caller, _ call: PendingCall
  ) throws(BusError) {
    let identifier = try identifier(name, "bundle_id")
    let (acting, application) = try recordingRefusal(of: identifier.text, caller, call) {
      () throws(BusError) -> (ActingCaller, InstalledApplication) in
      let acting = try self.acting(caller, as: options.actAs)
      let application = try submitting { () throws(OpenFailure) in
        // Whether another one is installed is more than it may know (R3.3).
        if case .application(let own, _) = caller, own != identifier, isSandboxed(own) {
          throw .notPermitted("\(own) is an iOS application, which opens others by their URLs")
        }
        return try registry.installed(identifier)
      }
      return (acting, application)
    }
    let asked = Asked(
      payload: .application, subject: identifier.text,
      fingerprint: RequestFingerprint(
        .application, "", designated: identifier, newInstance: options.newInstance),
      options: options, caller: caller, acting: acting,
      waiter: Waiter(call))
    try submit(asked) { () throws(OpenFailure) in application }
  }
}
