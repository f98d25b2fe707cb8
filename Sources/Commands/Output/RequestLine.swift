internal import BusContract
package import DBus

/// One request of the record, as people read it.
package enum RequestLine {
  /// When, who, what, with which application, how, what became of it, and how long that took.
  package static func cells(_ request: Options) -> [String] {
    [
      LocalTime.text(microseconds: request[Key.time]?.asUInt64 ?? 0),
      request[Key.caller]?.asString ?? "-", request[Key.url]?.asString ?? "-",
      request[Key.handler]?.asString ?? "-", request[Key.launch]?.asString ?? "-",
      fate(request), duration(request),
    ]
  }

  private static func fate(_ request: Options) -> String {
    let fate = request[Key.fate]?.asString ?? "-"
    return fate == "delivered" && request[Key.handled]?.asBoolean == false ? "not handled" : fate
  }

  private static func duration(_ request: Options) -> String {
    let times = (request[Key.trail]?.elements ?? []).compactMap { $0.elements?.last?.asUInt64 }
    guard let first = times.first, let last = times.last, last >= first else { return "-" }
    let tenths = (last - first) / 100
    return "\(tenths / 10).\(tenths % 10) ms"
  }
}
