package import DBus
package import LaunchRules

/// The calls that clients make to the daemon.
extension Contract {
  package static func canOpenURL(_ url: String, _ options: QueryOptions = QueryOptions()) -> Message
  {
    ask(workspace, "CanOpenURL", [.string(url), .options(options.dictionary)])
  }

  package static func openURL(_ url: String, _ options: OpenOptions = OpenOptions()) -> Message {
    ask(workspace, "OpenURL", [.string(url), .options(options.dictionary)])
  }

  package static func cancelOpen(_ id: String) -> Message {
    ask(workspace, "CancelOpen", [.string(id)])
  }

  package static func performQuickAction(
    _ application: String, type: String, _ options: OpenOptions = OpenOptions()
  ) -> Message {
    ask(
      workspace, "PerformQuickAction",
      [.string(application), .string(type), .options(options.dictionary)])
  }

  package static func openApplication(
    _ application: String, _ options: OpenOptions = OpenOptions()
  ) -> Message {
    ask(workspace, "OpenApplication", [.string(application), .options(options.dictionary)])
  }

  package static func explain(_ url: String, _ options: QueryOptions = QueryOptions()) -> Message {
    ask(workspace, "Explain", [.string(url), .options(options.dictionary)])
  }

  package static func waitForExit(_ pid: UInt32) -> Message {
    ask(workspace, "WaitForExit", [.uint32(pid), .options([:])])
  }

  package static func identifyProcess(_ pid: UInt32, startTime: UInt64) -> Message {
    ask(workspace, "IdentifyProcess", [.uint32(pid), .uint64(startTime), .options([:])])
  }

  package static func history(_ options: HistoryOptions) -> Message {
    ask(workspace, "History", [.options(options.dictionary)])
  }

  package static func monitor() -> Message { ask(workspace, "Monitor", [.options([:])]) }

  package static func checkIn(_ options: CheckInOptions) -> Message {
    ask(launch, "CheckIn", [.options(options.dictionary)])
  }

  /// The check-in with a daemon whose start the bus has announced. The bus starts no other one for this call, so that a
  /// daemon that is being stopped stays stopped.
  package static func checkInAgain(_ options: CheckInOptions) -> Message {
    let message = checkIn(options)
    message.forbidServiceStart()
    return message
  }

  package static func finishLaunching(will: Bool?, did: Bool?) -> Message {
    var answers: Options = [:]
    if let will { answers[Key.will] = .boolean(will) }
    if let did { answers[Key.did] = .boolean(did) }
    return ask(launch, "FinishLaunching", [.options(answers)])
  }

  package static func retire() -> Message { ask(launch, "Retire", [.options([:])]) }

  package static func handedOver(_ request: UInt64) -> Message {
    ask(launch, "HandedOver", [.uint64(request), .options([:])])
  }

  package static func programFailed(_ request: UInt64, _ failure: HandOver.Failure) -> Message {
    let end: Options =
      switch failure {
      case .status(let number): [Key.exitStatus: .uint32(UInt32(number))]
      case .signal(let number): [Key.signal: .uint32(UInt32(number))]
      }
    return ask(launch, "ProgramFailed", [.uint64(request), .options(end)])
  }

  package static func deliverDirectly() -> Message {
    ask(launch, "DeliverDirectly", [.options([:])])
  }

  package static func setDesktopExport(_ enabled: Bool) -> Message {
    ask(registry, "SetDesktopExport", [.boolean(enabled), .options([:])])
  }

  package static func setDefaultsGuard(_ policy: String) -> Message {
    ask(registry, "SetDefaultsGuard", [.string(policy), .options([:])])
  }

  package static func registryProperty(_ name: String) -> Message {
    ask(properties.name, "Get", [.string(registry.text), .string(name)])
  }

  package static func setShortcutItems(_ items: [Options]) -> Message {
    ask(launch, "SetShortcutItems", [.optionsList(items), .options([:])])
  }

  package static func registerApplication(
    _ path: String, definitions: [String: String] = [:]
  ) -> Message {
    let options: Options =
      definitions.isEmpty ? [:] : [Key.define: .stringDictionary(definitions)]
    return ask(registry, "RegisterApplication", [.string(path), .options(options)])
  }

  package static func unregisterApplication(_ identifier: String) -> Message {
    ask(registry, "UnregisterApplication", [.string(identifier)])
  }

  package static func listApplications() -> Message { ask(registry, "ListApplications") }
  package static func findApplications(_ query: ApplicationQuery) -> Message {
    ask(registry, "FindApplications", [.options(query.dictionary)])
  }
  package static func forgetRegistrations(missingOnly: Bool) -> Message {
    ask(
      registry, "ForgetRegistrations",
      [.options(missingOnly ? [Key.missing: .boolean(true)] : [:])])
  }
  package static func watchApplications() -> Message {
    ask(registry, "WatchApplications", [.options([:])])
  }
  package static func watchReading() -> Message {
    ask(registry, "WatchReading", [.options([:])])
  }
  package static func runningApplications() -> Message { ask(registry, "RunningApplications") }
  package static func handlers(_ scheme: String) -> Message {
    ask(registry, "Handlers", [.string(scheme)])
  }
  package static func defaultHandler(_ scheme: String) -> Message {
    ask(registry, "DefaultHandler", [.string(scheme)])
  }
  package static func setDefaultHandler(_ scheme: String, _ identifier: String) -> Message {
    ask(registry, "SetDefaultHandler", [.string(scheme), .string(identifier)])
  }
  package static func lint(_ path: String) -> Message { ask(registry, "Lint", [.string(path)]) }
  package static func check(_ path: String, definitions: [String: String] = [:]) -> Message {
    let options: Options =
      definitions.isEmpty ? [:] : [Key.define: .stringDictionary(definitions)]
    return ask(registry, "Check", [.string(path), .options(options)])
  }
  package static func reload() -> Message { ask(registry, "Reload") }
  package static func ping() -> Message { ask(peer.name, "Ping") }

  static func ask(
    _ interface: InterfaceName, _ member: MemberName, _ arguments: [Value] = []
  ) -> Message {
    .call(to: busName, path: objectPath, interface: interface, member: member, arguments)
  }
}
