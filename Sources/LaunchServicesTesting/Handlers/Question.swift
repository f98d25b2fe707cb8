/// A call that the program of an application makes when a test asks it to.
package enum Question: Codable, Hashable, Sendable {
  case canOpen(String, as: String?)
  case open(String, as: String?)
  case explain(String)

  /// What came back.
  package enum Answer: Codable, Hashable, Sendable {
    case canOpen(Bool)
    case receipt(Receipt)
    case explanation(Explanation)
    case refused(Refusal)
  }

  /// Asks on a connection.
  @MainActor package func answer(from client: TestClient) async -> Answer {
    do throws(Refusal) {
      switch self {
      case .canOpen(let url, let identifier):
        return .canOpen(try await client.canOpen(url, as: identifier))
      case .open(let url, let identifier):
        return .receipt(try await client.open(url, as: identifier))
      case .explain(let url): return .explanation(try await client.explain(url))
      }
    } catch {
      return .refused(error)
    }
  }
}

/// From where the program of an application asks.
public enum Asker: String, Codable, Hashable, Sendable {
  /// The connection on which it checked in.
  case itself
  /// Another connection of the same process.
  case otherConnection
  /// A process that it starts.
  case child
}

/// A question on its way to a program, and to its child.
package struct Asking: Codable, Hashable, Sendable {
  package var number: Int
  package var question: Question
  package var asker: Asker
}
