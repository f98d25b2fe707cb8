internal import Dispatch
internal import Glibc

/// The signals that ask a daemon to stop or reload, delivered as events.
@MainActor package final class StopSignals {
  package enum Signal: Hashable, Sendable, CaseIterable {
    case terminate, interrupt, hangUp

    var number: Int32 {
      switch self {
      case .terminate: SIGTERM
      case .interrupt: SIGINT
      case .hangUp: SIGHUP
      }
    }
  }

  private let sources: [any DispatchSourceSignal]

  /// The first thing a program does, before it has a second thread: a stop signal that comes early
  /// waits instead of killing.
  ///
  /// A write to a closed pipe becomes an error instead of a death, and children are not reaped by
  /// the kernel behind our back, whatever the program that started this one had chosen.
  package nonisolated static func block() {
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    for signal in Signal.allCases { unsafe sigaddset(&signals, signal.number) }
    unsafe sigprocmask(SIG_BLOCK, &signals, nil)
    signal(SIGPIPE, SIG_IGN)
    signal(SIGCHLD, SIG_DFL)
  }

  /// `onSignal` is called for each signal from `block()` on, for as long as this is held.
  package init(onSignal: @escaping @MainActor (Signal) -> Void) {
    sources = Signal.allCases.map { signal in
      let source = DispatchSource.makeSignalSource(signal: signal.number, queue: .main)
      source.setEventHandler { MainActor.assumeIsolated { onSignal(signal) } }
      source.activate()
      return source
    }
  }

  isolated deinit { for source in sources { source.cancel() } }
}
