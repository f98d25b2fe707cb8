internal import BusContract
internal import CallerIdentity
internal import DBus
internal import LaunchRules
internal import Records

extension IdentifiedCaller {
  /// The application whose declarations apply to the call.
  /// - Parameter name: the option `as`.
  func acting(as name: String?) throws(BusError) -> ActingCaller {
    if case .unidentified = caller, let remote = name.flatMap({ RemoteName(callerName: $0) }) {
      return .remote(remote)
    }
    let wanted = try name.map { name throws(BusError) in
      guard let identifier = BundleIdentifier(name) else {
        throw .invalidArguments("option 'as': \(name) is not a bundle identifier")
      }
      return identifier
    }
    do throws(ActingNotPermitted) {
      return try ActingCaller.resolve(caller, as: wanted)
    } catch {
      throw OpenFailure.notPermitted(error.description).busError
    }
  }

  /// The name of a request in the record; nil when its client gave no identifier.
  /// - Throws: InvalidArgs, when the caller may be an unknown sandboxed application and the identifier can be guessed: the
  ///   scope of the identifier would be unknown, and a repeated request could be delivered twice.
  /// - Parameter remotes: nil for calls that remotes may not make.
  func requestName(
    _ id: String?, in registry: Registry, _ remotes: RemoteStore? = nil
  ) throws(BusError) -> RequestName? {
    guard let id else { return nil }
    if case .orphan(isSandboxed: true) = caller, !RequestName.isChance(id) {
      throw .invalidArguments(
        "option 'request-id': it is not known which iOS application the caller descends from, so its requests"
          + " need identifiers of 32 or more hexadecimal digits, such as a UUID")
    }
    if case .remote(let remote) = caller {
      return RequestName(id, of: remote, generation: remotes?[remote]?.generation ?? "")
    }
    return RequestName(id, confined: requestScope(in: registry))
  }
}
