internal import BusContract
internal import DBus
internal import Host
internal import LaunchRules
internal import Records

// Opens that were refused before an application was chosen for them. They are recorded like the
// others, so that nobody looks for a link that is in no record.

extension Daemon {
  /// Carries out `body`; when it refuses the open, that is recorded.
  /// - Parameter subject: what may be recorded of the URL.
  func recordingRefusal<Result>(
    of subject: String, _ caller: Caller, _ call: PendingCall, _ body: () throws(BusError) -> Result
  ) throws(BusError) -> Result {
    do throws(BusError) {
      return try body()
    } catch {
      if let failure = OpenFailure(error), failure.isRecorded {
        note(failure, subject, caller, call)
      }
      throw error
    }
  }

  /// It is not kept under its `request-id`: asked again, it may succeed.
  private func note(
    _ failure: OpenFailure, _ subject: String, _ caller: Caller, _ call: PendingCall
  ) {
    var entry = RequestEntry(
      number: opens.nextRequest().number, time: RequestClock.now,
      caller: recordedName(of: caller, on: call.sender),
      origin: origin(of: caller, on: call.sender),
      subject: String(subject.unicodeScalars.prefix(Self.longestRefused)), handler: "",
      progress: .settled)
    entry.fate = failure.name
    // The text of this one repeats the URL with its query.
    let discreet: OpenFailure =
      if case .invalidURL = failure { .invalidURL("it is not a valid URL") } else { failure }
    entry.detail = (settings.record.keepsFullURLs ? failure : discreet).text
    journal.info(
      "an open was refused", ["reason": discreet.sentence],
      about: ["request": "\(entry.number)", "caller": entry.caller])
    requests.note(entry)
    tellMonitors(entry)
  }

  /// What is kept of the subject of an open that was refused, in Unicode scalars.
  private static let longestRefused = 1024
}

nonisolated extension OpenFailure {
  /// What goes over a limit is too much to be recorded, too.
  fileprivate var isRecorded: Bool {
    switch self {
    case .limitExceeded, .shuttingDown: false
    default: true
    }
  }
}
