package import DBus
internal import LaunchRules

extension IncomingCall {
  /// Reads a call to the object at `Contract.objectPath` or one of its parents.
  ///
  /// Fails with the D-Bus specification's errors: `UnknownObject`, `UnknownInterface`,
  /// `UnknownMethod`, and `InvalidArgs` for arguments of the wrong type.
  package init(_ call: PendingCall) throws(BusError) {
    self = try call.readMessage { message throws(BusError) in try Self(reading: message) }
  }

  /// Reads a call that has no reply; see above.
  package init(reading call: borrowing Message) throws(BusError) {
    let interfaces = try ObjectTree.interfaces(at: call.path ?? "")
    let (interface, method) = try Self.method(call, among: interfaces)
    guard call.signature == method.inputSignature else {
      throw .invalidArguments(
        "\(interface.name).\(method.name) takes (\(method.inputSignature)), not (\(call.signature))"
      )
    }
    self = try call.read { reader throws(BusError) in
      try Self.read(interface.name, method.name.text, &reader)
    }
  }

  private static func method(
    _ call: borrowing Message, among interfaces: [InterfaceDescription]
  ) throws(BusError) -> (InterfaceDescription, InterfaceDescription.Method) {
    let member = call.member ?? ""
    guard let wanted = call.interface else {
      for interface in interfaces {
        if let method = interface.method(member) { return (interface, method) }
      }
      throw BusError(
        .unknownMethod, "no interface here has \(member)")
    }
    guard let interface = interfaces.first(where: { $0.name.text == wanted }) else {
      throw BusError(
        .unknownInterface, "\(call.path ?? "") does not have \(wanted)")
    }
    guard let method = interface.method(member) else {
      throw BusError(
        .unknownMethod, "\(wanted) does not have \(member)")
    }
    return (interface, method)
  }

  /// The caller has checked the signature: each argument has the type that the interface declares.
  private static func read(
    _ interface: InterfaceName, _ method: String, _ arguments: inout ArgumentReader
  ) throws(BusError) -> IncomingCall {
    func string() -> String { arguments.string() ?? "" }
    func options(_ keys: Set<String>) -> OptionReader {
      OptionReader(options: arguments.options(knowing: keys) ?? [:])
    }
    switch (interface, method) {
    case (Contract.workspace, "CanOpenURL"):
      return .canOpenURL(string(), try QueryOptions(options(QueryOptions.keys)))
    case (Contract.workspace, "OpenURL"):
      return .openURL(string(), try OpenOptions(options(OpenOptions.keys)))
    case (Contract.workspace, "OpenDocuments"):
      let urls = arguments.strings(
        atMost: DocumentLimit.mostDocuments, bytes: DocumentLimit.mostBytes)
      guard let urls else {
        throw OpenFailure.limitExceeded(
          "one call opens at most \(DocumentLimit.mostDocuments) documents, whose URLs take at most"
            + " \(DocumentLimit.mostBytes) bytes"
        ).busError
      }
      return .openDocuments(urls, try OpenOptions(options(OpenOptions.keys)))
    case (Contract.workspace, "CancelOpen"): return .cancelOpen(string())
    case (Contract.workspace, "RequestFate"):
      let id = string()
      guard OpenOptions.isRequestID(id) else {
        throw .invalidArguments("request_id must be 1 to 128 visible ASCII characters")
      }
      let options = options([RequestFate.cancelKey])
      return .requestFate(
        id, isCancelled: try options.boolean(RequestFate.cancelKey) ?? false)
    case (Contract.workspace, "PerformQuickAction"):
      return .performQuickAction(
        application: string(), type: string(), try OpenOptions(options(OpenOptions.keys)))
    case (Contract.workspace, "OpenApplication"):
      return .openApplication(string(), try OpenOptions(options(OpenOptions.keys)))
    case (Contract.workspace, "Explain"):
      return .explain(string(), try QueryOptions(options(QueryOptions.keys)))
    case (Contract.workspace, "WaitForExit"):
      return .waitForExit(pid: arguments.value()?.asUInt32 ?? 0)
    case (Contract.workspace, "IdentifyProcess"):
      let pid = arguments.value()?.asUInt32 ?? 0
      let startTime = arguments.value()?.asUInt64 ?? 0
      _ = options([])
      return .identifyProcess(pid: pid, startTime: startTime)
    case (Contract.workspace, "History"):
      return .history(try HistoryOptions(options(HistoryOptions.keys)))
    case (Contract.workspace, "Monitor"):
      _ = options([])
      return .monitor
    case (Contract.launch, "CheckIn"):
      return .checkIn(try CheckInOptions(options(CheckInOptions.keys)))
    case (Contract.launch, "FinishLaunching"):
      let answers = options([Key.will, Key.did])
      return .finishLaunching(
        will: try answers.boolean(Key.will), did: try answers.boolean(Key.did))
    case (Contract.launch, "Retire"):
      _ = options([])
      return .retire
    case (Contract.launch, "HandedOver"):
      let request = arguments.value()?.asUInt64 ?? 0
      _ = options([])
      return .handedOver(request)
    case (Contract.launch, "ProgramFailed"):
      let request = arguments.value()?.asUInt64 ?? 0
      let end = options([Key.exitStatus, Key.signal])
      let status = try end.uint32(Key.exitStatus).map(Int64.init)
      guard
        let failure = HandOver.Failure(
          status: status, signal: try end.uint32(Key.signal).map(Int64.init))
      else {
        throw .invalidArguments(
          "options: 'exit-status' from 1 to 255 or 'signal' from 1 to 64 is required")
      }
      return .programFailed(request, failure)
    case (Contract.launch, "DeliverDirectly"):
      _ = options([])
      return .deliverDirectly
    case (Contract.launch, "SetShortcutItems"):
      // Reads one item more than the limit, so that a longer list is refused without reading all of it.
      let items = arguments.optionsList(
        knowing: QuickAction.keys, atMost: QuickAction.mostKept + 1)
      return .setShortcutItems(try QuickAction.list(items ?? []))
    case (Contract.launch, "SetCurrentActivity"):
      let activity = try CurrentActivity.read(options(CurrentActivity.keys))
      _ = options([])
      return .setCurrentActivity(activity)
    case (Contract.workspace, "CurrentActivities"):
      _ = options([])
      return .currentActivities
    case (Contract.registry, "Devices"):
      return .devices(startsService: try options([Key.start]).boolean(Key.start) ?? false)
    case (Contract.registry, "RegisterApplication"):
      let path = string()
      let definitions = options([Key.define])
      try OpenOptions.check(definitions.options)
      return .registerApplication(
        path: path, definitions: try definitions.stringDictionary(Key.define) ?? [:])
    case (Contract.registry, "UnregisterApplication"): return .unregisterApplication(string())
    case (Contract.registry, "ListApplications"): return .listApplications
    case (Contract.registry, "FindApplications"):
      return .findApplications(try ApplicationQuery(options(ApplicationQuery.keys)))
    case (Contract.registry, "ForgetRegistrations"):
      return .forgetRegistrations(
        missingOnly: try options([Key.missing]).boolean(Key.missing) ?? false)
    case (Contract.registry, "WatchApplications"):
      _ = options([])
      return .watchApplications
    case (Contract.registry, "WatchReading"):
      _ = options([])
      return .watchReading
    case (Contract.registry, "RunningApplications"): return .runningApplications
    case (Contract.registry, "Handlers"): return .handlers(string())
    case (Contract.registry, "DefaultHandler"): return .defaultHandler(string())
    case (Contract.registry, "SetDefaultHandler"):
      return .setDefaultHandler(scheme: string(), application: string())
    case (Contract.registry, "HandlersOfDocument"): return .handlersOfDocument(string())
    case (Contract.registry, "HandlersOfType"): return .handlersOfType(string())
    case (Contract.registry, "SetDefaultHandlerOfType"):
      return .setDefaultHandlerOfType(string(), application: string())
    case (Contract.registry, "SetHandlerOfDocument"):
      return .setHandlerOfDocument(string(), application: string())
    case (Contract.registry, "TypeOfDocument"): return .typeOfDocument(string())
    case (Contract.registry, "Lint"): return .lint(string(), definitions: [:])
    case (Contract.registry, "Check"):
      let path = string()
      let definitions = options([Key.define])
      try OpenOptions.check(definitions.options)
      return .lint(path, definitions: try definitions.stringDictionary(Key.define) ?? [:])
    case (Contract.registry, "Reload"): return .reload
    case (Contract.registry, "SetDesktopExport"):
      return .setDesktopExport(arguments.value()?.asBoolean ?? false)
    case (Contract.registry, "SetDefaultsGuard"): return .setDefaultsGuard(policy: string())
    case (Contract.registry, "Links"):
      _ = options([])
      return .links(.list)
    case (Contract.registry, "ChooseLink"):
      return .links(.choose(application: string(), domain: string(), choice: string()))
    case (Contract.registry, "SetAssociationFile"):
      return .links(.setFile(domain: string(), path: string()))
    case (Contract.registry, "RefreshLinks"):
      return .links(.refresh(arguments.value()?.asStrings ?? []))
    case (Contract.registry, "Remotes"):
      _ = options([])
      return .remotes(.list)
    case (Contract.registry, "AddRemote"):
      return .remotes(.add(try RemoteCall.name(string())))
    case (Contract.registry, "RemoveRemote"):
      return .remotes(.remove(try RemoteCall.name(string())))
    case (Contract.registry, "SetRemoteSchemes"):
      let name = try RemoteCall.name(string())
      return .remotes(
        .choose(name, try RemoteCall.choices(arguments.value()?.asStringDictionary ?? [:])))
    case (Contract.registry, "SetRemoteCallbacks"):
      let name = try RemoteCall.name(string())
      return .remotes(
        .setCallbacks(name, areForwarded: arguments.value()?.asBoolean ?? false))
    case (Contract.registry, "SetRemoteRules"):
      let name = try RemoteCall.name(string())
      let subjects = try (arguments.value()?.asStrings ?? []).map { text throws(BusError) in
        try RemoteCall.subject(text)
      }
      return .remotes(
        .setRules(name, subjects, areSent: arguments.value()?.asBoolean ?? false))
    case (Contract.confirmation, "RegisterAgent"):
      guard let path = arguments.value()?.asObjectPath else {
        throw .invalidArguments("object_path is missing")
      }
      return .registerAgent(path)
    case (Contract.confirmation, "Approvals"): return .approvals
    case (Contract.confirmation, "SetApprovals"):
      let list = arguments.optionsList(knowing: Approval.keys, atMost: Approvals.most + 1) ?? []
      return .setApprovals(
        try list.map { options throws(BusError) in try Approval(options) })
    case (Contract.confirmation, "ResetApprovals"):
      let (opener, scheme, handler) = (string(), string(), string())
      return .resetApprovals(
        opener: opener.isEmpty ? nil : try Approval.opener(opener),
        scheme: scheme.isEmpty ? nil : try URLScheme(argument: scheme),
        handler: handler.isEmpty ? nil : try Approval.handler(handler))
    case (Contract.peer.name, "Ping"): return .ping
    case (Contract.peer.name, "GetMachineId"): return .machineID
    case (Contract.introspectable.name, "Introspect"): return .introspect
    case (Contract.properties.name, "Get"):
      return .getProperty(interface: string(), name: string())
    case (Contract.properties.name, "GetAll"): return .getAllProperties(interface: string())
    case (Contract.properties.name, "Set"):
      return .setProperty(interface: string(), name: string())
    case (Contract.objectManager.name, "GetManagedObjects"): return .managedObjects
    default: preconditionFailure("\(interface).\(method) is described but not read")
    }
  }
}

/// The objects of the service: the object at `Contract.objectPath`, and its parents, which only list their
/// child.
package enum ObjectTree {
  static let ours = [
    Contract.workspaceInterface, Contract.launchInterface, Contract.registryInterface,
    Contract.confirmationInterface,
    Contract.properties, Contract.introspectable, Contract.peer,
  ]
  static let parents = [Contract.objectManager, Contract.introspectable, Contract.peer]

  package static func interfaces(at path: String) throws(BusError) -> [InterfaceDescription] {
    if path == Contract.objectPath.text { return ours }
    if child(of: path) != nil { return parents }
    throw BusError(
      .unknownObject,
      "there is no object \(path); the service is at \(Contract.objectPath)")
  }

  /// The next path component from a parent towards `Contract.objectPath`.
  static func child(of path: String) -> String? {
    let prefix = path == "/" ? "/" : path + "/"
    guard Contract.objectPath.text.hasPrefix(prefix) else { return nil }
    return Contract.objectPath.text.dropFirst(prefix.count).split(separator: "/").first
      .map(String.init)
  }

  /// The answer to `Introspect`.
  package static func introspection(of path: String) throws(BusError) -> String {
    InterfaceDescription.document(
      interfaces: try interfaces(at: path), children: child(of: path).map { [$0] } ?? [])
  }
}

extension ObjectTree {
  /// The answer to `GetManagedObjects`: the object, its interfaces and their properties.
  package static func managedObjects(_ registryProperties: Options) -> Value {
    let interfaces = Contract.interfaces.map { interface -> Value in
      let properties: Options =
        interface.name == Contract.registry ? registryProperties : [:]
      return .dictionaryEntry(.string(interface.name.text), .options(properties))
    }
    return .array(
      of: "{oa{sa{sv}}}",
      [
        .dictionaryEntry(
          .objectPath(Contract.objectPath), .array(of: "{sa{sv}}", interfaces))
      ])
  }
}

extension URLScheme {
  /// Reads an argument of a call. Throws `InvalidArgs` when it is not a scheme.
  package init(argument text: String) throws(BusError) {
    guard let scheme = URLScheme(text) else {
      throw .invalidArguments(
        text.utf8.count > Self.longest
          ? "a scheme has at most \(Self.longest) characters, and this one \(text.utf8.count)"
          : "'\(text)' is not a scheme: a letter, then letters, digits, + - . and no colon")
    }
    self = scheme
  }
}
