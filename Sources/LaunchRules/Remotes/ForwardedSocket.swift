/// The names of the sockets that `lsopen ssh` makes on a far machine: `forwarded-ORIGIN-TOKEN`. All sessions of one remote
/// of one daemon have the same origin, so that a program there knows which newer session leads to the same daemon.
package enum ForwardedSocket {
  /// The first part of the names.
  package static let prefix = "forwarded-"
  private static let originLength = 16
  private static let tokenLength = 8

  /// The rest of the name.
  /// - Parameters:
  ///   - origin: of `origin(of:)`; nil when it is not known.
  ///   - token: letters and digits that no other session has.
  package static func ending(origin: String?, token: String) -> String {
    origin.map { "\($0)-\(token.prefix(tokenLength))" } ?? token
  }

  /// The origin of all sessions of a remote: 16 letters and digits. Another daemon, a remote of another name and one that was
  /// removed and added again have another origin.
  /// - Parameters:
  ///   - boot: identifier of the system's start.
  ///   - device: of the folder with the socket of the remote.
  ///   - file: number of that folder.
  package static func origin(boot: String, device: UInt64, file: UInt64) -> String {
    var hash = FNV1a()
    hash.add(boot)
    hash.add(device)
    hash.add(file)
    let digits = String(hash.value, radix: 16)
    return String(repeating: "0", count: originLength - digits.count) + digits
  }

  /// The origin in the name of a file; nil for another file, and for a session without a known origin.
  package static func origin(ofName name: String) -> String? {
    let parts = name.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0] + "-" == prefix, parts[1].utf8.count == originLength,
      parts[2].utf8.count == tokenLength
    else { return nil }
    return String(parts[1])
  }
}
