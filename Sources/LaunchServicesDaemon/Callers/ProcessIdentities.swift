internal import BusContract
internal import CallerIdentity
internal import DBus
internal import LaunchRules

/// Describes to which applications processes belong, by the rules that identify callers.
struct ProcessIdentities {
  private let callers: CallerTable
  private let identifier: CallerIdentifier
  private let store: RegistryStore

  init(_ callers: CallerTable, _ identifier: CallerIdentifier, _ store: RegistryStore) {
    self.callers = callers
    self.identifier = identifier
    self.store = store
  }

  /// - Parameter startTime: in clock ticks since boot.
  /// - Throws: AccessDenied when the process has ended or cannot be identified.
  func describe(_ pid: UInt32, startTime: UInt64) async throws(BusError) -> Options {
    let facts = await withCheckedContinuation { continuation in
      callers.withFacts(ofProcess: Int32(exactly: pid) ?? 0, startTime: startTime) {
        continuation.resume(returning: $0)
      }
    }
    switch try identifier.process(facts) {
    case .unidentified, .outsider, .remote: return [:]
    case .orphan: return [Key.descendsFromApplication: .boolean(true)]
    case .application(let application, let how):
      var identity: Options = [
        Key.bundleIdentifier: .string(application.text), Key.identification: .string(how.rawValue),
      ]
      identity[Key.origin] = store.registry.application(application).map {
        .string($0.origin.rawValue)
      }
      return identity
    }
  }
}
