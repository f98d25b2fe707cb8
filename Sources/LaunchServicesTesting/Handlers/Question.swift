internal import BusContract
package import DBus
internal import Glibc

/// A call that the program of an application makes at the request of a test.
package enum Question: Codable, Hashable, Sendable {
  case canOpen(String, as: String?)
  /// - Parameter input: the path of a file for the standard input of a new process.
  case open(
    String, as: String?, input: String? = nil, requestID: String? = nil, application: String? = nil)
  case explain(String)
  /// The URLs of recent requests.
  case history
  /// Subscribes to the opens of all applications.
  case monitor
  /// The identifiers of all applications.
  case applications
  case openApplication(String)
  case identifyProcess(Int32)
  case findApplications(name: String)
  case watchApplications
  /// Registers the program as a confirmation agent.
  case becomeAgent
  /// Allows the application with this identifier to open `tel` URLs of all openers.
  case approve(String)
  case setShortcutItems([TestShortcutItem])
  case handlersOfDocument(String)
  case handlersOfType(String)
  case typeOfDocument(String)
  /// Checks in with the token and identifier that the test gives.
  /// - Parameter owning: Whether the program first takes the bus name of the identifier.
  case checkIn(token: String?, identifier: String?, owning: Bool = false)

  /// The result of the call.
  package enum Answer: Codable, Hashable, Sendable {
    case canOpen(Bool)
    case receipt(Receipt)
    case explanation(Explanation)
    case texts([String])
    case done
    case refused(Refusal)
  }

  /// Makes the call on a connection.
  @MainActor package func answer(from client: TestClient) async -> Answer {
    do throws(Refusal) {
      switch self {
      case .canOpen(let url, let identifier):
        return .canOpen(try await client.canOpen(url, as: identifier))
      case .open(let url, let identifier, let input, let name, let application):
        var options = OpenOptions()
        options.actAs = identifier
        options.requestID = name
        options.application = application
        options.standardInput = input.map {
          OwnedDescriptor(adopting: unsafe Glibc.open($0, O_RDONLY | O_CLOEXEC))
        }
        return .receipt(try await client.open(url, options))
      case .setShortcutItems(let items):
        try await client.setShortcutItems(items.map(\.options))
        return .done
      case .checkIn(let token, let identifier, let owning):
        if owning, let name = identifier.flatMap(BusName.init) { try await client.own(name) }
        _ = try await client.call(
          Contract.checkIn(CheckInOptions(token: token, bundleIdentifier: identifier)))
        return .done
      case .history:
        let answer = try await client.call(Contract.history(HistoryOptions()))
        return .texts((answer.first?.asOptionsList ?? []).compactMap { $0[Key.url]?.asString })
      case .monitor:
        _ = try await client.call(Contract.monitor())
        return .done
      case .identifyProcess(let pid):
        _ = try await client.call(Contract.identifyProcess(UInt32(pid), startTime: 0))
        return .done
      case .openApplication(let identifier):
        return .receipt(try await client.openApplication(identifier))
      case .findApplications(let name):
        _ = try await client.call(Contract.findApplications(.name(name)))
        return .done
      case .watchApplications:
        _ = try await client.call(Contract.watchApplications())
        return .done
      case .becomeAgent:
        _ = try await client.call(Contract.registerAgent("/agent"))
        return .done
      case .approve(let handler):
        let approval = try? Approval([
          Key.opener: .string("*"), Key.scheme: .string("tel"), Key.handler: .string(handler),
          Key.allowed: .boolean(true),
        ])
        _ = try await client.call(Contract.setApprovals(approval.map { [$0] } ?? []))
        return .done
      case .handlersOfDocument(let url):
        return .texts(try await client.handlers(ofDocument: url))
      case .handlersOfType(let type): return .texts(try await client.handlers(ofType: type))
      case .typeOfDocument(let url):
        return .texts(try await client.type(ofDocument: url).keys.sorted())
      case .applications: return .texts(try await client.applications())
      case .explain(let url): return .explanation(try await client.explain(url))
      }
    } catch {
      return .refused(error)
    }
  }
}

/// A dynamic quick action.
public struct TestShortcutItem: Codable, Hashable, Sendable {
  /// Identifies the quick action to the application.
  public var type: String
  /// The title for the user.
  public var title: String
  /// The texts that the application receives with the quick action.
  public var userInfo: [String: String]

  /// Creates a quick action.
  public init(_ type: String, title: String, userInfo: [String: String] = [:]) {
    self.type = type
    self.title = title
    self.userInfo = userInfo
  }

  package var options: Options {
    [
      Key.type: .string(type), Key.title: .string(title),
      Key.userInfo: .options(userInfo.mapValues(Value.string)),
    ]
  }
}

/// The connection or process from which the program of an application makes a call.
public enum Asker: String, Codable, Hashable, Sendable {
  /// The connection on which it checked in.
  case itself
  /// Another connection of the same process.
  case otherConnection
  /// A direct connection of the same process to the daemon.
  case direct
  /// A process that the program starts.
  case child
  /// A process that a child of the program starts before the child ends.
  case orphan
  /// As `orphan`, in its own session.
  case detached
  /// As `orphan`, after the program has ended, too.
  case survivor
  /// A process with 70 other processes between it and the program.
  case nested
}

/// A question that the test sends to a program, and the program to its child.
package struct Asking: Codable, Hashable, Sendable {
  package var number: Int
  package var question: Question
  package var asker: Asker
}
