/// What is kept of one request.
package struct RequestEntry: Hashable, Sendable {
  /// How far it has come. What a crash leaves `accepted` never left the daemon; what it leaves
  /// `delivering` may have arrived.
  package enum Progress: String, Hashable, Sendable {
    case accepted, delivering, settled
  }

  /// One step of its way.
  package struct Step: Hashable, Sendable {
    package var state: String
    /// Monotonic time in microseconds.
    package var microseconds: UInt64

    package init(_ state: String, at microseconds: UInt64) {
      self.state = state
      self.microseconds = microseconds
    }
  }

  /// Grows from request to request, also from one daemon to the next.
  package var number: UInt64
  /// When it was accepted, in microseconds since 1970.
  package var time: UInt64
  /// Who asked, as people read it: a bundle identifier, or the path of an executable.
  package var caller: String
  /// Who shares the record with other callers; see `FairShare`.
  package var origin: String
  /// The identifier the client chose, and among whose it is looked up.
  package var name: RequestName?
  /// The URL, without what may be secret in it, or the quick action.
  package var subject: String
  /// Of all it asked for, also of what is not in the subject.
  package var fingerprint: UInt64
  package var handler: String
  package var progress: Progress
  /// `cold` or `warm`; nil before that is known.
  package var launch: String?
  /// A delivery of the receipt, or the name of an error; nil before it is settled.
  package var fate: String?
  /// The sentence of the error.
  package var detail: String?
  package var handled: Bool
  /// Of the handler; 0 when unknown.
  package var pid: Int32
  /// Of that process: number and start time together name it for good; 0 when unknown.
  package var startTime: UInt64
  package var trail: [Step]

  package init(
    number: UInt64, time: UInt64, caller: String, origin: String? = nil,
    name: RequestName? = nil, subject: String,
    fingerprint: UInt64 = 0, handler: String, progress: Progress = .accepted, launch: String? = nil,
    fate: String? = nil,
    detail: String? = nil, handled: Bool = false, pid: Int32 = 0, startTime: UInt64 = 0,
    trail: [Step] = []
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
