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
  /// Who asked: a bundle identifier, or the path of an executable. Identifiers of requests are this
  /// caller's own.
  package var caller: String
  /// The identifier the client chose.
  package var clientID: String?
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
  package var trail: [Step]

  package init(
    number: UInt64, time: UInt64, caller: String, clientID: String? = nil, subject: String,
    fingerprint: UInt64 = 0, handler: String, progress: Progress = .accepted, launch: String? = nil,
    fate: String? = nil,
    detail: String? = nil, handled: Bool = false, pid: Int32 = 0, trail: [Step] = []
  ) {
    self.number = number
    self.time = time
    self.caller = caller
    self.clientID = clientID
    self.subject = subject
    self.fingerprint = fingerprint
    self.handler = handler
    self.progress = progress
    self.launch = launch
    self.fate = fate
    self.detail = detail
    self.handled = handled
    self.pid = pid
    self.trail = trail
  }
}

/// A process of an application, as the next daemon must know it.
package struct RunningProcess: Hashable, Sendable {
  package var application: String
  /// Which of its instances: 0 is the main one.
  package var seat: Int
  package var pid: Int32
  /// Number and start time together name a process for good.
  package var startTime: UInt64
  /// The daemon started it.
  package var isOurs: Bool
  /// The daemon has stopped it.
  package var isSuspended: Bool

  package init(
    application: String, seat: Int, pid: Int32, startTime: UInt64, isOurs: Bool,
    isSuspended: Bool = false
  ) {
    self.application = application
    self.seat = seat
    self.pid = pid
    self.startTime = startTime
    self.isOurs = isOurs
    self.isSuspended = isSuspended
  }
}

/// A process that is about to be started, as the next daemon must know it.
package struct ProcessStart: Hashable, Sendable {
  package var application: String
  /// Which of its instances: 0 is the main one.
  package var seat: Int
  /// The fingerprint of the token that the process finds in its environment.
  package var token: UInt64
  /// The systemd unit it is started as; nil for a child of the daemon.
  package var unit: String?

  package init(application: String, seat: Int, token: UInt64, unit: String? = nil) {
    self.application = application
    self.seat = seat
    self.token = token
    self.unit = unit
  }
}
