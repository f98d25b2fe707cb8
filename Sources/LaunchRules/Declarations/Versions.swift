/// `CFBundleVersion`: one to three numbers, compared numerically (R1.15), so 1.10 is newer than 1.2.
package struct BundleVersion: Hashable, Sendable, Comparable {
  package let major: UInt32
  package let minor: UInt32
  package let patch: UInt32

  package init(_ major: UInt32, _ minor: UInt32 = 0, _ patch: UInt32 = 0) {
    (self.major, self.minor, self.patch) = (major, minor, patch)
  }

  /// Missing parts are 0. Extra parts, and text after the digits of a part, are ignored.
  package init(_ text: String) {
    let parts = text.split(separator: ".", maxSplits: 3, omittingEmptySubsequences: false)
    func part(_ index: Int) -> UInt32 {
      guard index < parts.count else { return 0 }
      let digits = parts[index].utf8.prefix(while: \.isASCIIDigit)
      return digits.isEmpty ? 0 : UInt32(String(decoding: digits, as: UTF8.self)) ?? .max
    }
    self.init(part(0), part(1), part(2))
  }

  package static func < (left: Self, right: Self) -> Bool {
    (left.major, left.minor, left.patch) < (right.major, right.minor, right.patch)
  }
}

extension BundleVersion: CustomStringConvertible {
  package var description: String { "\(major).\(minor).\(patch)" }
}

/// The system whose rules an application follows.
package enum Platform: String, Hashable, Sendable {
  case iOS
  case macOS
}

/// The version of the SDK that an application was linked with. Several rules depend on this version instead
/// of the system version (R3.6, R3.8).
package struct LinkedSDK: Hashable, Sendable, Comparable {
  package let major: UInt16
  package let minor: UInt16

  package init(_ major: UInt16, _ minor: UInt16 = 0) { (self.major, self.minor) = (major, minor) }

  /// The assumed version for a property list that states none.
  package static let newest = LinkedSDK(27)

  package static func < (left: Self, right: Self) -> Bool {
    (left.major, left.minor) < (right.major, right.minor)
  }
}

extension LinkedSDK: CustomStringConvertible {
  package var description: String { "\(major).\(minor)" }
}
