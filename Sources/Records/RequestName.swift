/// Under what a request is found again: the identifier that its client chose, and among whose it is looked up.
///
/// Not under the name of the caller, which changes while a process lives: when its parent ends, or when its
/// program is registered.
package struct RequestName: Hashable, Sendable {
  package let id: String
  /// Empty for all programs of the user; else the one that has its identifiers for itself.
  package let scope: String

  package init(_ id: String, scope: String = "") {
    self.id = id
    self.scope = scope
  }

  /// - Parameter confined: The caller, when it is a sandboxed application, which must not learn what others
  ///   asked for by guessing an identifier, nor use one up. It looks among its own only, unless nobody can guess
  ///   the identifier.
  package init(_ id: String, confined: String?) {
    self.init(id, scope: Self.isChance(id) ? "" : confined ?? "")
  }

  /// It has 128 bits in 32 hexadecimal digits, with or without hyphens, such as a UUID.
  package static func isChance(_ id: String) -> Bool {
    var digits = 0
    for byte in id.utf8 {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
        UInt8(ascii: "A")...UInt8(ascii: "F"):
        digits += 1
        if digits == 32 { return true }
      case UInt8(ascii: "-"): break
      default: digits = 0
      }
    }
    return false
  }

  /// With which the names of the parts of a call begin that has this name.
  var partPrefix: RequestName { RequestName(id + "#", scope: scope) }

  package func isPart(of call: RequestName) -> Bool {
    scope == call.scope && id.hasPrefix(call.partPrefix.id)
  }

  /// Stands for all parts of a call of this name: nobody can ask for it, for no identifier has this character.
  var ofAnyParts: RequestName { RequestName("\u{1}" + id, scope: scope) }

  /// What stands for the parts of the call, when this may be the name of one of them.
  var ofParts: RequestName? {
    guard let mark = id.lastIndex(of: "#") else { return nil }
    return RequestName(String(id[..<mark]), scope: scope).ofAnyParts
  }

  /// In 64 bits.
  var fingerprint: UInt64 {
    var hash = FNV1a()
    hash.add(scope)
    hash.add(id)
    return hash.value
  }
}

/// Fowler, Noll and Vo's hash of 64 bits. It finds damage, and hides nothing.
struct FNV1a {
  private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  mutating func add(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }

  mutating func add(_ number: UInt64) {
    var number = number
    for _ in 0..<8 {
      add(UInt8(truncatingIfNeeded: number))
      number >>= 8
    }
  }

  /// Its length comes first, so that no text runs into the next.
  mutating func add(_ text: String) {
    add(UInt64(text.utf8.count))
    for byte in text.utf8 { add(byte) }
  }

  mutating func add(_ text: String?) {
    add(UInt8(text == nil ? 0 : 1))
    if let text { add(text) }
  }
}
