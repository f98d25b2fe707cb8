// Lookups in the record, and their results when the record cannot be read.

extension RecordFile {
  /// Looks up a name.
  /// - Parameter isRepeated: whether the client states that it repeats the request.
  func find(_ name: RequestName, isRepeated: Bool) -> RequestFound {
    if let entry = memory.find(name) { return .entry(entry) }
    let written = reading { record throws(DatabaseError) in try record.find(name) }
    if let entry = written ?? nil { return .entry(checked(entry)) }
    if isRepeated, let others = name.otherScopes, has(name, in: others) {
      return .unknown("its identifier was used before by \(others.caller)")
    }
    return judge(name.fingerprint, isRepeated: isRepeated)
  }

  private func has(_ name: RequestName, in others: RequestName.OtherScopes) -> Bool {
    let isUnwritten = memory.unwrittenEntries.contains { entry in
      entry.name.map { $0.id == name.id && others.contains($0.scope) } ?? false
    }
    return isUnwritten
      || reading { record throws(DatabaseError) in try record.has(name, in: others) } ?? false
  }

  /// The result for a name that is not in the record.
  private func judge(_ fingerprint: UInt64, isRepeated: Bool) -> RequestFound {
    if names.contains(fingerprint) {
      return .unknown(
        "its identifier was used before, and what is recorded of that request is lost")
    }
    // Until all rows are checked, names may be missing that only the record contains.
    if isFailing, unchecked != nil || (isRepeated && identifiers == nil) {
      return .unknown("the record of requests cannot be read")
    }
    if isRepeated, hasGap() {
      return .unknown("the record of the time before is lost")
    }
    return .never
  }

  /// Looks up the requests for the parts of a call with this name.
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

  /// Checks an entry against the journal, which may be newer than the record.
  private func checked(_ entry: RequestEntry) -> RequestEntry {
    var entry = entry
    if entry.progress == .accepted, let name = entry.name, mayHaveArrived(name) {
      entry.progress = .delivering
    }
    return entry
  }

  /// Whether a recorded name is the one that was asked for, in any case (R1.9); as SQL compares.
  private static func isWanted(_ recorded: String, _ name: String?) -> Bool {
    guard let name else { return true }
    return recorded.lowercased() == name.lowercased()
  }

  /// The newest first, with those that could not be written.
  /// - Parameter bytes: the size from which further entries are left out.
  func recent(
    limit: Int, bytes: Int, handler: String?, caller: String?, since: UInt64
  ) -> [RequestEntry] {
    let unwritten = memory.unwrittenEntries.filter {
      $0.time >= since && Self.isWanted($0.handler, handler) && Self.isWanted($0.caller, caller)
    }
    let written =
      reading { record throws(DatabaseError) in
        try record.recent(
          limit: limit, bytes: bytes, handler: handler, caller: caller, since: since)
      } ?? []
    guard !unwritten.isEmpty else { return written }
    let newer = Set(unwritten.map(\.number))
    let all = unwritten + written.filter { !newer.contains($0.number) }
    var size = 0
    return Array(
      all.sorted { $0.number > $1.number }.prefix(limit).prefix { entry in
        defer { size += entry.size }
        return size < bytes
      })
  }

  /// Reserves as many request numbers, after the greatest that may have been used; nil when that is unknown, or the numbers
  /// cannot be reserved.
  func reserveNumbers(_ count: UInt64) -> ClosedRange<UInt64>? {
    guard
      let recorded = reading({ record throws(DatabaseError) in try record.lastNumber() }),
      case let last = max(recorded, memory.reserved),
      write([.reserve(last + count, ticket: 0)]).isStored
    else { return nil }
    return last + 1...last + count
  }

  func reading<Result>(
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

/// The result of looking up a request by its name.
package enum RequestFound: Hashable, Sendable {
  case never
  case entry(RequestEntry)
  /// There may have been a request. The associated text, a part of a sentence, is the reason why this is
  /// unknown.
  case unknown(String)
}

/// The result of looking up the requests for the parts of a call.
package enum RequestPartsFound: Hashable, Sendable {
  case entries([RequestEntry])
  case unknown(String)
}
