internal import BusContract
internal import DBus
internal import DBusMainLoop

/// The end of an application's process, which was asked for and may be still to come.
@MainActor public final class AwaitedEnd {
  private let pid: Int32
  private let answers = Inbox<Result<[Value], BusError>>()

  init(_ message: borrowing Message, of pid: Int32, on session: BusSession) {
    self.pid = pid
    session.call(message, deadline: nil) { [answers] in answers.put($0) }
  }

  /// Waits for it, once; says how, such as `exited with code 0`.
  public func how() async throws -> String {
    let answer = try await answers.next("the end of process \(pid)")
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
