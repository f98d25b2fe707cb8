package import LaunchRules

/// The record of one request.
package struct RequestEntry: Hashable, Sendable {
  /// The progress of the request. After a crash, a request that is `accepted` was not delivered; one that is
  /// `delivering` may have been.
  package enum Progress: String, Hashable, Sendable {
    case accepted, delivering, settled
  }

  /// Grows with each request, also across daemons.
  package var number: UInt64
  /// Time of the acceptance, in microseconds since 1970.
  package var time: UInt64
  /// The caller, for display: a bundle identifier, or the path of an executable.
  package var caller: String
  /// The caller whose share of the record the request uses, below the groups that it belongs to: one line each, outermost
  /// first; see `FairShare`.
  package var origin: String
  /// The client's identifier for the request, with the scope in which it is looked up.
  package var name: RequestName?
  /// The URL without its query and fragment, or the quick action.
  package var subject: String
  /// A hash of the whole request, also of the parts that are not in the subject.
  package var fingerprint: UInt64
  package var handler: String
  package var progress: Progress
  /// `cold` or `warm`; nil before the result is known.
  package var launch: String?
  /// The `delivery` of the receipt, or the name of an error; nil before the request is settled.
  package var fate: String?
  /// The sentence of the error.
  package var detail: String?
  package var handled: Bool
  /// The process number of the handler; 0 when unknown.
  package var pid: Int32
  /// The start time of that process, which distinguishes it from later processes with the same number; 0 when
  /// unknown.
  package var startTime: UInt64
  package var trail: [RequestStep]

  /// The approximate size in an answer, in bytes.
  var size: Int {
    256 + caller.utf8.count + subject.utf8.count + handler.utf8.count + (detail?.utf8.count ?? 0)
      + 32 * trail.count
  }

  package init(
    number: UInt64, time: UInt64, caller: String, origin: String? = nil,
    name: RequestName? = nil, subject: String,
    fingerprint: UInt64 = 0, handler: String, progress: Progress = .accepted, launch: String? = nil,
    fate: String? = nil,
    detail: String? = nil, handled: Bool = false, pid: Int32 = 0, startTime: UInt64 = 0,
    trail: [RequestStep] = []
  ) {
    self.number = number
    self.time = time
    self.caller = caller
    self.origin = origin ?? caller
    self.name = name
    self.subject = subject
    self.fingerprint = fingerprint
    self.handler = handler
    self.progress = progress
    self.launch = launch
    self.fate = fate
    self.detail = detail
    self.handled = handled
    self.pid = pid
    self.startTime = startTime
    self.trail = trail
  }
}
