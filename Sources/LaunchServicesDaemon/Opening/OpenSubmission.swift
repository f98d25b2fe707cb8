internal import BusContract
internal import CallerIdentity
internal import LaunchRules
internal import Records

/// One open that a call asks for, before it is accepted.
struct OpenSubmission {
  let caller: IdentifiedCaller
  var question: OpenRule.Question
  var payload: PendingOpen.Payload
  /// The recorded form of the payload.
  let subject: String
  /// The name of the request; nil when its client gave no identifier.
  let name: RequestName?
  /// Nil when it has no name: it takes time to make of a long URL.
  let fingerprint: RequestFingerprint?
  var options: OpenOptions
  let reply: PendingReply
}
