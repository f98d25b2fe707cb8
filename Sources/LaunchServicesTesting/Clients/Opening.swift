internal import BusContract
internal import DBus
internal import DBusMainLoop

/// An open that was sent and whose fate may not be known yet.
@MainActor public final class Opening {
  private let url: String
  private let answers = Inbox<Result<[Value], BusError>>()

  init(_ message: borrowing Message, of url: String, on session: BusSession) {
    self.url = url
    session.call(message, deadline: nil) { [answers] in answers.put($0) }
  }

  /// Whether the answer is there and was not taken.
  public var isAnswered: Bool { !answers.contents.isEmpty }

  /// Waits for the answer, once.
  public func receipt() async throws(Refusal) -> Receipt {
    let answer: Result<[Value], BusError>
    do throws(NeverCame) {
      answer = try await answers.next("the answer to the open of \(url.prefix(100))")
    } catch {
      throw Refusal(BusError.timedOut.name.text, error.description)
    }
    do throws(BusError) {
      let values = try answer.get()
      guard
        let receipt = values.first?.asOptions.flatMap(BusContract.Receipt.init)
          .flatMap(Receipt.init)
      else { throw .failed("the answer is no receipt: \(values)") }
      return receipt
    } catch {
      throw Refusal(error)
    }
  }
}
