internal import CHost
internal import Glibc
internal import Synchronization

/// The calls of this process that a file system has not answered in time. Their threads wait until it does.
package enum UnansweredCalls {
  /// The maximum number of waiting threads.
  private static let most = 64

  private struct State {
    var last = 0
    /// The paths that are not asked about: a file, or a mount point with everything below.
    var places: [Int: String] = [:]
    var observers: [Int: [@Sendable () -> Void]] = [:]
  }

  private static let state = Mutex(State())

  static var isEmpty: Bool { state.withLock { $0.places.isEmpty } }

  /// False for a path whose file system has an unanswered call, and when too many threads wait.
  static func mayAsk(_ path: String) -> Bool {
    state.withLock { state in
      state.places.count < most && !state.places.values.contains { path.isAt(orUnder: $0) }
    }
  }

  /// - Returns: the number of the call.
  static func add(_ path: String) -> Int {
    let place = foreignMount(above: path) ?? path
    return state.withLock { state in
      state.last += 1
      state.places[state.last] = place
      return state.last
    }
  }

  /// Ends a call that was answered late.
  static func remove(_ number: Int) {
    let observers = state.withLock { state in
      state.places[number] = nil
      return state.observers.removeValue(forKey: number) ?? []
    }
    for observer in observers { observer() }
  }

  /// Calls `action` once, on any thread: when the call that keeps this path from being asked about is answered, or at
  /// once if nothing keeps it.
  package static func onAnswer(about path: String, _ action: @escaping @Sendable () -> Void) {
    let isPossible = state.withLock { state in
      // Without a free thread, any answer helps.
      let call =
        state.places.first { path.isAt(orUnder: $0.value) }
        ?? (state.places.count < most ? nil : state.places.first)
      if let call { state.observers[call.key, default: []].append(action) }
      return call == nil
    }
    if isPossible { action() }
  }

  /// The mount point of a file server or of a program that is a file system.
  private static func foreignMount(above path: String) -> String? {
    let size = Int(PATH_MAX)
    return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: size) { place in
      guard unsafe chost_foreign_mount(path, place.baseAddress, size) == 0,
        let start = place.baseAddress
      else { return nil }
      return unsafe String(validatingCString: start)
    }
  }
}
