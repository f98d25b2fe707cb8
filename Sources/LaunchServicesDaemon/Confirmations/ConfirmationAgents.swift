internal import BusContract
internal import DBus
internal import LaunchRules

/// An object on the bus that can ask the user.
struct ConfirmationAgent: Hashable {
  let connection: String
  let path: ObjectPath

  func call(_ member: MemberName, _ arguments: [Value], expectsReply: Bool = true) -> Message {
    guard let name = BusName(connection) else {
      preconditionFailure("the bus gave \(connection) as a name")
    }
    return .call(
      to: name, path: path, interface: Contract.confirmationAgent, member: member, arguments,
      expectsReply: expectsReply)
  }
}

/// The registered agents. Questions go to the agent that registered last.
struct ConfirmationAgents {
  private var agents: [ConfirmationAgent] = []
  static let most = 16

  var current: ConfirmationAgent? { agents.last }

  mutating func add(_ agent: ConfirmationAgent) throws(BusError) {
    agents.removeAll { $0 == agent }
    guard agents.count < Self.most else {
      throw OpenFailure.limitExceeded(
        "\(Self.most) confirmation agents are registered already, which is the limit"
      ).busError
    }
    agents.append(agent)
  }

  mutating func remove(_ connection: String) { agents.removeAll { $0.connection == connection } }
}
