internal import BusContract
internal import CallerIdentity
internal import LaunchRules
internal import Records

/// One open of a call, before its acceptance.
struct OpenSubmission {
  let caller: IdentifiedCaller
  var question: OpenRule.Question
  var payload: PendingOpen.Payload
  /// The recorded form of the payload.
  let subject: String
  /// The name of the request; nil when the client gave no identifier.
  let name: RequestName?
  /// Nil for a request without a name. The hash of a long URL takes time.
  let fingerprint: RequestFingerprint?
  var options: OpenOptions
  let reply: PendingReply
  /// Why the port of the login that a remote opens is not forwarded; nil when the port is forwarded, or none is needed.
  var callbackProblem: CallbackProblem?
}
