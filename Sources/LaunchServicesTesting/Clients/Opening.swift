internal import BusContract
internal import DBus
internal import DBusMainLoop

/// A call of `OpenURL` that was sent and may have no answer yet.
@MainActor public final class Opening {
  private let url: String
  private let call: SentCall

  init(_ message: borrowing Message, of url: String, on session: BusSession) {
    self.url = url
    call = SentCall(message, on: session)
  }

  /// Whether the answer has arrived and was not taken.
  public var isAnswered: Bool { call.isAnswered }

  /// Waits for the answer, once.
  public func receipt() async throws(Refusal) -> Receipt {
    let answer: Result<[Value], BusError>
    do throws(NeverCame) {
      answer = try await call.answer("the answer to the open of \(url.prefix(100))")
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
