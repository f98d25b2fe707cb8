// What the record says, and what must be said when it cannot be read.

extension RecordFile {
  /// What is known of a name.
  /// - Parameter isRepeated: Its client says that it has asked for it before.
  func find(_ name: RequestName, isRepeated: Bool) -> RequestFound {
    if let entry = memory.find(name) { return .entry(entry) }
    let written = reading { record throws(DatabaseError) in try record.find(name) }
    if let entry = written ?? nil { return .entry(checked(entry)) }
    return judge(name.fingerprint, isRepeated: isRepeated)
  }

  /// Of a name that is not in the record.
  private func judge(_ fingerprint: UInt64, isRepeated: Bool) -> RequestFound {
    if names.contains(fingerprint) {
      return .unknown(
        "its identifier was used before, and what is recorded of that request is lost")
    }
    // Before all is checked, names may be missing that only the record knows.
    if isFailing, unchecked != nil || (isRepeated && identifiers == nil) {
      return .unknown("the record of requests cannot be read")
    }
    if isRepeated, gap > 0, now() < gap + UInt64(age) * 1_000_000 {
      return .unknown("the record of the time before is lost")
    }
    return .never
  }

  /// The requests for the parts of a call that has this name.
  func findParts(of call: RequestName, isRepeated: Bool) -> RequestPartsFound {
    let unwritten = memory.findParts(of: call)
    let written = reading { record throws(DatabaseError) in try record.find(prefix: call.partPrefix)
    }
    let newer = Set(unwritten.map(\.number))
    let all = unwritten + (written ?? []).filter { !newer.contains($0.number) }
    if !all.isEmpty { return .entries(all.map(checked)) }
    return switch judge(call.ofAnyParts.fingerprint, isRepeated: isRepeated) {
    case .unknown(let why): .unknown(why)
    case .never, .entry: .entries([])
    }
  }

  /// What the record says may be older than what the journal says.
  private func checked(_ entry: RequestEntry) -> RequestEntry {
    var entry = entry
    if entry.progress == .accepted, let name = entry.name?.fingerprint,
      identifiers?.arrived.contains(name) ?? false
    {
      entry.progress = .delivering
    }
    return entry
  }

  func recent(limit: Int, handler: String?, caller: String?, since: UInt64) -> [RequestEntry] {
    reading { record throws(DatabaseError) in
      try record.recent(limit: limit, handler: handler, caller: caller, since: since)
    } ?? []
  }

  /// The greatest number that may have been given out; nil when it is not known.
  var lastNumber: UInt64? {
    reading { record throws(DatabaseError) in try record.lastNumber() }
  }

  private func reading<Result>(
    _ body: (RequestRecord) throws(DatabaseError) -> Result
  ) -> Result? {
    guard let record else { return nil }
    do throws(DatabaseError) {
      return try body(record)
    } catch {
      guard error.isDamage else {
        failed(error.description)
        return nil
      }
      moveAside(error)
      return self.record.flatMap { try? body($0) }
    }
  }
}

/// What is known of a request that has a name.
package enum RequestFound: Hashable, Sendable {
  case never
  case entry(RequestEntry)
  /// There may have been one. A part of a sentence says why nobody knows.
  case unknown(String)
}

/// What is known of the requests for the parts of one call.
package enum RequestPartsFound: Hashable, Sendable {
  case entries([RequestEntry])
  case unknown(String)
}
