internal import BusContract
internal import Host
internal import LaunchRules
internal import Records

/// What has become of recent requests, as it must be known after a crash.
///
/// A request with an identifier of its client is written before anything is done about it, and
/// before each thing that cannot be taken back. All others are written a moment later, together. When
/// nothing can be written the requests go on; what is known of them then ends with this process.
final class RequestBook {
  private let record: RequestRecord?
  private let journal: Journal
  private var unsaved: [UInt64: RequestEntry] = [:]
  private var soon: Deadline?
  private var isFailing = false
  private let begun = (time: RequestBook.now, sinceBoot: Time.microsecondsSinceBoot())

  /// Requests that are not written yet, when writing fails.
  private static let longestBacklog = 1000
  /// Written together at most. Everybody waits for that long, so it is to be seldom and short.
  private static let batch = 256
  private static let delay = Duration.milliseconds(100)

  init(folder: String, _ settings: Settings, _ journal: Journal) {
    self.journal = journal
    do {
      try createFolders(folder)
      let (record, aside) = try RequestRecord.open(
        path: folder + "/requests.sqlite", limit: settings.recordLimit, age: settings.recordAge)
      if let aside, aside.reason.isOtherVersion {
        journal.notice(
          "a new record of requests is begun; the old one has been moved aside",
          ["moved-to": aside.path, "reason": aside.reason.description])
      } else if let aside {
        journal.error(
          "the record of requests cannot be used and has been moved aside",
          ["moved-to": aside.path, "reason": aside.reason.description])
      }
      self.record = record
    } catch {
      journal.error(
        "there is no record of requests: what is under way when this process ends is forgotten",
        ["reason": "\(error)"])
      record = nil
    }
  }

  /// No daemon before this one has given out a greater number.
  var lastNumber: UInt64 { (try? record?.lastNumber()) ?? 0 }

  /// Numbers up to this one may be given out from now on.
  func reserve(_ number: UInt64) {
    _ = using { record throws(DatabaseError) in try record.reserve(number) }
  }

  /// Writes how far a request has come.
  /// - Parameter isUrgent: Before this returns.
  func note(_ entry: RequestEntry, isUrgent: Bool) {
    guard let record else { return }
    if isUrgent {
      do throws(DatabaseError) {
        try record.save(entry, now: earliestNow)
        unsaved[entry.number] = nil
        return
      } catch {
        failed(error)
      }
    }
    unsaved[entry.number] = entry
    if unsaved.count > Self.longestBacklog, let oldest = unsaved.keys.min() {
      unsaved[oldest] = nil
    }
    if unsaved.count >= Self.batch, !isFailing { return flush() }
    if soon == nil { soon = Deadline(after: Self.delay) { [weak self] in self?.flush() } }
  }

  /// Writes what is still to be written.
  func flush() {
    soon = nil
    guard let record, !unsaved.isEmpty else { return }
    do throws(DatabaseError) {
      // Moving numbers is cheaper than moving entries.
      try record.save(unsaved.keys.sorted().compactMap { unsaved[$0] }, now: earliestNow)
      unsaved = [:]
      isFailing = false
    } catch {
      failed(error)
    }
  }

  func find(caller: String, clientID: String) -> RequestEntry? {
    let waiting = unsaved.values.first { $0.caller == caller && $0.clientID == clientID }
    if let waiting { return waiting }
    return using { record throws(DatabaseError) in
      try record.find(caller: caller, clientID: clientID)
    } ?? nil
  }

  /// Those whose identifiers begin with this, newest first.
  func find(caller: String, clientIDPrefix prefix: String) -> [RequestEntry] {
    let waiting = unsaved.values.filter {
      $0.caller == caller && $0.clientID?.hasPrefix(prefix) == true
    }
    let written =
      using { record throws(DatabaseError) in
        try record.find(caller: caller, clientIDPrefix: prefix)
      } ?? []
    let newer = Set(waiting.map(\.number))
    return (waiting + written.filter { !newer.contains($0.number) })
      .sorted { $0.number > $1.number }
  }

  /// The newest requests, newest first.
  func recent(limit: Int, handler: String?, caller: String?, since: UInt64) -> [RequestEntry] {
    flush()
    return using { record throws(DatabaseError) in
      try record.recent(limit: limit, handler: handler, caller: caller, since: since)
    } ?? []
  }

  // MARK: Processes

  func started(_ process: RunningProcess) {
    _ = using { record throws(DatabaseError) in try record.add(process) }
  }

  func ended(pid: Int32) {
    _ = using { record throws(DatabaseError) in try record.remove(pid: pid) }
  }

  /// The processes that the daemon before this one knew and that are still the same.
  func survivors() -> [RunningProcess] {
    let all = using { record throws(DatabaseError) in try record.running() } ?? []
    return all.filter { process in
      if ProcessDetails(of: process.pid)?.startTime == process.startTime { return true }
      ended(pid: process.pid)
      return false
    }
  }

  // MARK: Starts

  /// Before the process is there.
  func begin(_ start: ProcessStart) {
    _ = using { record throws(DatabaseError) in try record.begin(start) }
  }

  /// It has failed, or the process can be known by what it has done since.
  func endStart(of application: String, seat: Int) {
    _ = using { record throws(DatabaseError) in try record.endStart(of: application, seat: seat) }
  }

  /// Those during which the daemon before this one has ended.
  func starts() -> [ProcessStart] {
    using { record throws(DatabaseError) in try record.starts() } ?? []
  }

  // MARK: Failures

  private func using<Result>(
    _ body: (RequestRecord) throws(DatabaseError) -> Result
  ) -> Result? {
    guard let record else { return nil }
    do throws(DatabaseError) {
      return try body(record)
    } catch {
      failed(error)
      return nil
    }
  }

  /// Told once until it works again.
  private func failed(_ error: DatabaseError) {
    if !isFailing {
      journal.warning(
        "requests cannot be recorded: what is under way when this process ends is forgotten",
        ["reason": error.description])
    }
    isFailing = true
  }

  /// The time by which requests are old: the clock may be set forward while this process lives, and
  /// nothing is to be forgotten for that.
  private var earliestNow: UInt64 {
    min(Self.now, begun.time + (Time.microsecondsSinceBoot() - begun.sinceBoot))
  }

  static var now: UInt64 { UInt64(Time.wallClockNanoseconds() / 1000) }
}
