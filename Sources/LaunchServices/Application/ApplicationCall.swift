internal import BusContract
internal import DBus
internal import LaunchRules

/// A parsed method call to the object that a handler exports.
enum ApplicationCall: Hashable {
  case openURLs([ArrivingURL])
  /// - Parameters:
  ///   - request: The number of the request.
  ///   - isRepeated: The request may have been delivered before.
  case performQuickAction(QuickAction, request: UInt64?, isRepeated: Bool)
  case continueUserActivity(ArrivingActivity)
  case reopen
  case stateChanged(Application.State)
  case introspect
  case ping
  case machineID

  static let interfaces = [
    Contract.applicationInterface, Contract.introspectable, Contract.peer,
  ]

  /// - Parameter isFromService: Whether the daemon sent the call.
  init(_ call: PendingCall, isFromService: Bool) throws(BusError) {
    guard call.path == Contract.applicationPath.text else {
      throw BusError(
        .unknownObject,
        "object \(call.path) does not exist; call \(Contract.applicationPath)")
    }
    let candidates = Self.interfaces.filter { ($0.name.text == call.interface ?? $0.name.text) }
    guard
      let (interface, method) = candidates.lazy.compactMap({ interface in
        interface.method(call.member).map { (interface, $0) }
      }).first
    else {
      throw BusError(
        .unknownMethod,
        "\(Contract.applicationPath) has no method \(call.interface ?? "").\(call.member)")
    }
    guard interface.name != Contract.application || isFromService else {
      throw BusError(
        .accessDenied,
        "only the owner of \(Contract.busName) may call \(call.member)")
    }
    guard call.signature == method.inputSignature else {
      throw .invalidArguments(
        "\(call.member) takes (\(method.inputSignature)), not (\(call.signature))")
    }
    try self.init(member: call.member, call.arguments())
  }

  private init(member: String, _ arguments: [Value]) throws(BusError) {
    switch member {
    case "OpenURLs": self = .openURLs(ArrivingURL.list(arguments.first))
    case "PerformQuickAction":
      let options = arguments.last?.asOptions ?? [:]
      self = .performQuickAction(
        QuickAction(type: arguments.first?.asString ?? "", details: options),
        request: options[Key.request]?.asUInt64,
        isRepeated: options[Key.repeated]?.asBoolean ?? false)
    case "ContinueUserActivity":
      self = .continueUserActivity(
        ArrivingActivity(arguments.first?.asString ?? "", arguments.last?.asOptions ?? [:]))
    case "Reopen": self = .reopen
    case "StateChanged":
      let name = arguments.first?.asString ?? ""
      guard let state = Application.State(name) else {
        throw .invalidArguments("'\(name)' is not active, inactive or background")
      }
      self = .stateChanged(state)
    case "Introspect": self = .introspect
    case "Ping": self = .ping
    case "GetMachineId": self = .machineID
    default: preconditionFailure("\(member) has an interface description but no parser")
    }
  }
}

extension Application.State {
  init?(_ name: String) {
    switch name {
    case "active": self = .active
    case "inactive": self = .inactive
    case "background": self = .background
    default: return nil
    }
  }
}
