/// The order of applications with equal claims on a scheme, which Apple leaves open (R2.13, R2.14).
package enum CollisionPolicy: Hashable, Sendable {
  case lastInstalled
  case firstInstalled
  /// The open fails until the user chooses an application.
  case ambiguousIsError
  /// A pseudorandom order determined by the seed, so that clients do not rely on a particular order.
  case seededRandom(UInt64)

  /// The name in settings and options.
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

  /// The order of an application among equal claims, smallest first.
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

  /// FNV-1a of the identifier, then the final step of SplitMix64. `Hasher` uses a different seed in every
  /// process.
  private static func draw(_ identifier: BundleIdentifier, _ seed: UInt64) -> Int64 {
    var identity = FNV1a(seed: seed)
    identity.add(bytesOf: identifier.text.lowercased())
    var hash = identity.value
    hash = (hash ^ (hash >> 30)) &* 0xbf58_476d_1ce4_e5b9
    hash = (hash ^ (hash >> 27)) &* 0x94d0_49bb_1331_11eb
    return Int64(bitPattern: hash ^ (hash >> 31))
  }
}
