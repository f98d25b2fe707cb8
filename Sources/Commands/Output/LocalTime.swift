internal import Glibc

/// Formats times in the local time zone.
package enum LocalTime {
  /// A text such as `2026-11-21 13:45:02`.
  /// - Parameter microseconds: microseconds since 1970.
  package static func text(microseconds: UInt64) -> String {
    var seconds = time_t(microseconds / 1_000_000)
    var parts = unsafe tm()
    unsafe localtime_r(&seconds, &parts)
    var text = [CChar](repeating: 0, count: 32)
    let count = unsafe strftime(&text, text.count, "%Y-%m-%d %H:%M:%S", &parts)
    return String(decoding: text.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
