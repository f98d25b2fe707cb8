internal import BusContract
internal import CallerIdentity
internal import LaunchRules
internal import Records

/// One open that a call asks for, before it is accepted.
struct OpenSubmission {
  let caller: IdentifiedCaller
  var question: OpenRule.Question
  var payload: PendingOpen.Payload
  /// What is recorded of the payload.
  let subject: String
  /// The name under which the open is found again; nil when its client gave it no identifier.
  let name: RequestName?
  let fingerprint: RequestFingerprint
  var options: OpenOptions
  let reply: PendingReply
}
