internal import CEvents
internal import Dispatch
internal import Glibc
internal import Synchronization

/// The epoll queue of this process and the watches in it.
///
/// Events carry tokens, never pointers: the token of an event that arrives after its watch was removed is unknown
/// and ignored. When a thread of its own waits, each descriptor is armed for one event (`EPOLLONESHOT`) and armed
/// again after its action, so that events do not pile up on a busy main actor.
final class Poller: Sendable {
  static let shared = Poller()
  /// The token of Dispatch's main queue; no descriptor has it.
  static let mainQueue: UInt64 = 0

  private struct Watch {
    var descriptor: Int32
    var interest: DescriptorWatch.Interest
    var action: @MainActor () -> Void
  }

  private struct State {
    var watches: [UInt64: Watch] = [:]
    var lastToken: UInt64 = 0
    var isServed = false
    /// The waiting thread also calls the actions, so no event arrives during an action.
    var waitsAndActs = false
  }

  private let queue: Int32
  private let state = Mutex(State())

  private init() {
    queue = cevents_queue()
    guard queue >= 0 else { fatalError("cannot create an epoll queue: error \(errno)") }
  }
}

// MARK: - Watches

extension Poller {
  func add(
    _ descriptor: Int32, _ interest: DescriptorWatch.Interest,
    _ action: @escaping @MainActor () -> Void
  ) -> UInt64 {
    let (token, isWatched, isFirst) = state.withLock { state in
      state.lastToken += 1
      let token = state.lastToken
      state.watches[token] = Watch(descriptor: descriptor, interest: interest, action: action)
      defer { state.isServed = true }
      let isWatched = control(
        EPOLL_CTL_ADD, descriptor, interest, token, isArmedOnce: !state.waitsAndActs)
      return (token, isWatched, !state.isServed)
    }
    if !isWatched { Self.onMainQueue { self.perform(token) } }
    // A program that calls `MainLoop.run()` does so before the main queue runs this block.
    if isFirst { Self.onMainQueue { MainLoop.serveFromThread() } }
    return token
  }

  func wait(for interest: DescriptorWatch.Interest, _ token: UInt64) {
    state.withLock { state in
      guard let watch = state.watches[token], watch.interest != interest else { return }
      state.watches[token]?.interest = interest
      control(
        EPOLL_CTL_MOD, watch.descriptor, interest, token, isArmedOnce: !state.waitsAndActs)
    }
  }

  func remove(_ token: UInt64) {
    let removed = state.withLock { state in
      let watch = state.watches.removeValue(forKey: token)
      if let watch {
        control(EPOLL_CTL_DEL, watch.descriptor, [], token, isArmedOnce: true)
      }
      return watch
    }
    if let removed { close(removed.descriptor) }
  }

  /// Switches to a main thread that waits and calls the actions. `next` then also reports work on Dispatch's main
  /// queue.
  /// - Parameter announcements: The descriptor that is readable while the main queue has work.
  func waitAndAct(_ announcements: Int32) {
    state.withLock { state in
      state.waitsAndActs = true
      for (token, watch) in state.watches {
        control(EPOLL_CTL_MOD, watch.descriptor, watch.interest, token, isArmedOnce: false)
      }
    }
    _ = cevents_control(queue, EPOLL_CTL_ADD, announcements, EPOLLIN.rawValue, Self.mainQueue)
  }

  @discardableResult
  private func control(
    _ operation: Int32, _ descriptor: Int32, _ interest: DescriptorWatch.Interest,
    _ token: UInt64, isArmedOnce: Bool
  ) -> Bool {
    var events = isArmedOnce ? EPOLLONESHOT.rawValue : 0
    if interest.contains(.reading) { events |= EPOLLIN.rawValue }
    if interest.contains(.writing) { events |= EPOLLOUT.rawValue }
    return cevents_control(queue, operation, descriptor, events, token) == 0
  }
}

// MARK: - Events

extension Poller {
  /// Waits for events and returns the tokens of their watches.
  func next() -> [UInt64] {
    var tokens = [UInt64](repeating: 0, count: 64)
    while true {
      let count = unsafe cevents_wait(queue, &tokens)
      if count > 0 { return Array(tokens.prefix(Int(count))) }
      guard count == 0 || errno == EINTR else { fatalError("epoll_wait failed: error \(errno)") }
    }
  }

  /// Calls the action of a watch. Does nothing if the watch was cancelled in the meantime.
  @MainActor func perform(_ token: UInt64) {
    guard let action = state.withLock({ $0.watches[token]?.action }) else { return }
    action()
    state.withLock { state in
      guard !state.waitsAndActs, let watch = state.watches[token] else { return }
      control(EPOLL_CTL_MOD, watch.descriptor, watch.interest, token, isArmedOnce: true)
    }
  }

  static func onMainQueue(_ action: @escaping @MainActor () -> Void) {
    DispatchQueue.main.async { MainActor.assumeIsolated { action() } }
  }
}
