internal import BusContract
package import DBus
internal import LaunchRules

/// Formats a request of the record for display.
package enum RequestLine {
  /// Time, caller, subject, handler, kind of launch, result and duration.
  package static func cells(_ request: Options) -> [String] {
    [
      LocalTime.text(microseconds: request[Key.time]?.asUInt64 ?? 0),
      request[Key.caller]?.asString ?? "-", url(request),
      request[Key.handler]?.asString ?? "-", request[Key.launch]?.asString ?? "-",
      fate(request), duration(request),
    ]
  }

  /// The longest URL of a table, in characters: one long URL would make all lines as long.
  private static let longest = 200

  private static func url(_ request: Options) -> String {
    let url = request[Key.url]?.asString ?? "-"
    return url.count <= longest ? url : url.prefix(longest - 1) + "…"
  }

  private static func fate(_ request: Options) -> String {
    let fate = request[Key.fate]?.asString ?? "-"
    let text =
      fate == "delivered" && request[Key.handled]?.asBoolean == false ? "not handled" : fate
    guard let last = steps(request).last?.first?.asString else { return text }
    if let failure = HandOver.Failure(step: last) { return "\(text), then \(failure)" }
    return last == HandOver.endedStep ? text + ", then ended" : text
  }

  /// Whether the step came after the opener was answered.
  private static func isLater(_ step: [Value]) -> Bool {
    guard let name = step.first?.asString else { return false }
    return name == HandOver.endedStep || HandOver.Failure(step: name) != nil
  }

  /// The steps of the trail, each with its name and time.
  private static func steps(_ request: Options) -> [[Value]] {
    (request[Key.trail]?.elements ?? []).compactMap(\.elements)
  }

  private static func duration(_ request: Options) -> String {
    let times = steps(request).filter { !isLater($0) }.compactMap { $0.last?.asUInt64 }
    guard let first = times.first, let last = times.last, last >= first else { return "-" }
    let tenths = (last - first) / 100
    return "\(tenths / 10).\(tenths % 10) ms"
  }
}
