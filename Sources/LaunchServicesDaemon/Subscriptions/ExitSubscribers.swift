internal import BusContract
internal import DBus
internal import LaunchRules
internal import ProcessSupervision

/// The callers that wait for the end of a process.
final class ExitSubscribers {
  private var calls: [InstanceID: [PendingCall]] = [:]
  private var counts: [String: Int] = [:]

  /// Maximum number of waiting calls per connection.
  static let mostPerCaller = 64

  func add(_ call: PendingCall, for instance: InstanceID) throws(BusError) {
    guard counts[call.sender, default: 0] < Self.mostPerCaller else {
      throw OpenFailure.limitExceeded(
        "this connection waits for the ends of \(Self.mostPerCaller) processes already, which is"
          + " the limit"
      ).busError
    }
    counts[call.sender, default: 0] += 1
    calls[instance, default: []].append(call)
  }

  /// Answers the calls that wait for the end of the instance.
  /// - Parameter how: such as `exited with code 0`.
  func ended(_ instance: InstanceID, how: String) {
    for call in calls.removeValue(forKey: instance) ?? [] {
      counts[call.sender] = counts[call.sender].flatMap { $0 > 1 ? $0 - 1 : nil }
      call.succeed([.options([Key.how: .string(how)])])
    }
  }

  /// Drops the calls of a closed connection.
  func forget(_ sender: String) {
    guard counts.removeValue(forKey: sender) != nil else { return }
    for instance in calls.keys {
      calls[instance]?.removeAll { $0.sender == sender }
      if calls[instance]?.isEmpty == true { calls[instance] = nil }
    }
  }

  func failAll(_ failure: OpenFailure) {
    for call in calls.values.joined() { call.fail(failure.busError) }
    calls = [:]
    counts = [:]
  }
}
