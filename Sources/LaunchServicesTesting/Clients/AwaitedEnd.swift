internal import BusContract
internal import DBus
internal import DBusMainLoop

/// A call that waits for the end of an application's process.
@MainActor public final class AwaitedEnd {
  private let pid: Int32
  private let call: SentCall

  init(_ message: borrowing Message, of pid: Int32, on session: BusSession) {
    self.pid = pid
    call = SentCall(message, on: session)
  }

  /// Waits for the end, once. Returns how the process ended, such as `exited with code 0`.
  public func how() async throws -> String {
    let answer = try await call.answer("the end of process \(pid)")
    do throws(BusError) {
      guard let how = try answer.get().first?.asOptions?[Key.how]?.asString else {
        throw .failed("the answer does not say how process \(pid) ended")
      }
      return how
    } catch {
      throw Refusal(error)
    }
  }
}
