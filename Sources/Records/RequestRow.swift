internal import LaunchRules

// The row of a request in the database. A checksum of the whole row detects damage that leaves valid values.

extension RequestEntry {
  static let columns = """
    number, time, caller, origin, scope, client_id, subject, fingerprint, handler, progress, launch, fate,
    detail, handled, pid, start_time, trail, written, checksum
    """

  /// Replaces the row of the request, and the row of another request with the same name.
  func write(to database: Database, now: UInt64) throws(DatabaseError) {
    let trail = trail.map { "\($0.state):\($0.microseconds)" }.joined(separator: " ")
    let numbers = [
      number, time, fingerprint, handled ? 1 : 0, UInt64(bitPattern: Int64(pid)), startTime, now,
    ].map { Int64(bitPattern: $0) }
    let texts: [String?] = [
      caller, origin, name?.scope ?? "", name?.id, subject, handler, progress.rawValue, launch,
      fate,
      detail, trail,
    ]
    let checksum = Self.checksum(numbers, texts)
    try database.run(
      """
      INSERT OR REPLACE INTO requests (\(Self.columns)) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)
      """,
      [
        .integer(numbers[0]), .integer(numbers[1]), .text(caller), .text(origin),
        .text(name?.scope ?? ""), .init(name?.id), .text(subject), .integer(numbers[2]),
        .text(handler), .text(progress.rawValue), .init(launch), .init(fate), .init(detail),
        .integer(numbers[3]), .integer(numbers[4]), .integer(numbers[5]), .text(trail),
        .integer(numbers[6]), .integer(checksum),
      ])
  }

  /// Nil when the checksum does not match the row.
  init?(_ row: Database.Row) {
    let numbers = [0, 1, 7, 13, 14, 15, 17].map { row.integer($0) }
    let texts = [2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 16].map { row.text($0) }
    guard row.integer(18) == Self.checksum(numbers, texts),
      let progress = texts[6].flatMap(Progress.init)
    else { return nil }
    self.init(
      number: UInt64(bitPattern: numbers[0]), time: UInt64(bitPattern: numbers[1]),
      caller: texts[0] ?? "", origin: texts[1],
      name: texts[3].map { RequestName($0, scope: texts[2] ?? "") }, subject: texts[4] ?? "",
      fingerprint: UInt64(bitPattern: numbers[2]), handler: texts[5] ?? "", progress: progress,
      launch: texts[7], fate: texts[8], detail: texts[9], handled: numbers[3] != 0,
      pid: Int32(clamping: numbers[4]), startTime: UInt64(bitPattern: numbers[5]),
      trail: RequestStep.list(texts[10] ?? ""))
  }

  private static func checksum(_ numbers: [Int64], _ texts: [String?]) -> Int64 {
    var hash = FNV1a()
    for number in numbers { hash.add(UInt64(bitPattern: number)) }
    for text in texts { hash.add(optional: text) }
    return Int64(bitPattern: hash.value)
  }
}

extension RequestStep {
  static func list(_ text: String) -> [Self] {
    text.split(separator: " ").compactMap { step in
      guard let colon = step.lastIndex(of: ":"),
        let time = UInt64(step[step.index(after: colon)...])
      else { return nil }
      return Self(String(step[..<colon]), at: time)
    }
  }
}

extension Database.Parameter {
  init(_ text: String?) { self = text.map(Self.text) ?? .null }
}
