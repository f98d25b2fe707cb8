package import DBus

/// Options of `History`.
package struct HistoryOptions: Hashable, Sendable {
  /// Maximum number of requests, from 1 to 1,000.
  package var limit: UInt32 = 50
  /// Only requests for this application.
  package var application: String?
  /// Only requests accepted at this time or later, in microseconds since 1970.
  package var since: UInt64 = 0
  package init() {}
}

extension HistoryOptions {
  static let keys = description.keys
  package static let mostEntries: UInt32 = 1000
  /// The size of an answer, in bytes, from which further requests are left out.
  package static let mostBytes = 1 << 20

  package static let description = DictionaryDescription([
    .init(
      Key.limit, "u",
      "The largest number of requests, from 1 to \(mostEntries); by default 50. An answer of more than \(mostBytes >> 20)"
        + " MiB contains fewer requests, the newest."),
    .init(Key.application, "s", "Only requests for the application with this identifier."),
    .init(
      Key.since, "t",
      "Only requests that were accepted at this time, in microseconds since 1970, or later."),
  ])

  init(_ reader: OptionReader) throws(BusError) {
    self.init()
    limit = try reader.uint32(Key.limit) ?? 50
    guard (1...Self.mostEntries).contains(limit) else {
      throw .invalidArguments("option 'limit' must be from 1 to \(Self.mostEntries)")
    }
    application = try reader.string(Key.application)
    since = try reader.uint64(Key.since) ?? 0
  }

  package var dictionary: Options {
    var options: Options = [Key.limit: .uint32(limit)]
    if let application { options[Key.application] = .string(application) }
    if since > 0 { options[Key.since] = .uint64(since) }
    return options
  }
}
