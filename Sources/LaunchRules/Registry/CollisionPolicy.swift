/// Who gets a scheme that several applications claim alike; Apple leaves it open (R2.13, R2.14).
package enum CollisionPolicy: Hashable, Sendable {
  case lastInstalled
  case firstInstalled
  /// Nobody: opening fails until the user chooses.
  case ambiguousIsError
  /// An order drawn from the seed: the same in every run with one seed, another with another, so
  /// that clients learn not to rely on the order.
  case seededRandom(UInt64)

  /// As settings and options write it.
  package enum Name: String, Hashable, Sendable, CaseIterable {
    case lastInstalled = "last-installed"
    case firstInstalled = "first-installed"
    case ambiguousIsError = "ambiguous-is-error"
    case seededRandom = "seeded-random"
  }

  /// Only `seeded-random` uses `seed`.
  package init(_ name: Name, seed: UInt64 = 0) {
    self =
      switch name {
      case .lastInstalled: .lastInstalled
      case .firstInstalled: .firstInstalled
      case .ambiguousIsError: .ambiguousIsError
      case .seededRandom: .seededRandom(seed)
      }
  }

  /// Where the policy puts an application among equal claims: the smallest comes first.
  func order(of application: InstalledApplication) -> Int64 {
    order(of: application.identifier, installedAt: application.installedAt)
  }

  func order(of identifier: BundleIdentifier, installedAt: Int64) -> Int64 {
    switch self {
    case .lastInstalled: ~installedAt
    case .firstInstalled: installedAt
    case .ambiguousIsError: 0
    case .seededRandom(let seed): Self.draw(identifier, seed)
    }
  }

  /// FNV-1a over the identifier, then the last step of SplitMix64. `Hasher` would do, but it draws
  /// a new seed for every process.
  private static func draw(_ identifier: BundleIdentifier, _ seed: UInt64) -> Int64 {
    var identity = FNV1a(seed: seed)
    identity.add(bytesOf: identifier.text.lowercased())
    var hash = identity.value
    hash = (hash ^ (hash >> 30)) &* 0xbf58_476d_1ce4_e5b9
    hash = (hash ^ (hash >> 27)) &* 0x94d0_49bb_1331_11eb
    return Int64(bitPattern: hash ^ (hash >> 31))
  }
}
