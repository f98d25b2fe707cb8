package import DBus
internal import LaunchRules

/// The options of one call, taken by name and checked for their type.
struct OptionReader {
  let options: Options

  private func take<Result>(
    _ key: String, _ type: String, _ convert: (Value) -> Result?
  ) throws(BusError) -> Result? {
    guard let value = options[key] else { return nil }
    guard let result = convert(value) else {
      throw .invalidArguments("option '\(key)' must be of type \(type), not \(value.type)")
    }
    return result
  }

  func string(_ key: String) throws(BusError) -> String? { try take(key, "s") { $0.asString } }
  func boolean(_ key: String) throws(BusError) -> Bool? { try take(key, "b") { $0.asBoolean } }
  func uint32(_ key: String) throws(BusError) -> UInt32? { try take(key, "u") { $0.asUInt32 } }
  func uint64(_ key: String) throws(BusError) -> UInt64? { try take(key, "t") { $0.asUInt64 } }
  func path(_ key: String) throws(BusError) -> ObjectPath? {
    try take(key, "o") { $0.asObjectPath }
  }
  func uint32s(_ key: String) throws(BusError) -> [UInt32]? {
    try take(key, "au") { value in
      value.type == "au" ? value.elements?.compactMap(\.asUInt32) : nil
    }
  }
  func options(_ key: String) throws(BusError) -> Options? {
    try take(key, "a{sv}") { $0.asOptions }
  }
  func descriptor(_ key: String) throws(BusError) -> OwnedDescriptor? {
    try take(key, "h") { $0.asDescriptor }
  }
  func strings(_ key: String) throws(BusError) -> [String]? {
    try take(key, "as") { $0.asStrings }
  }
  func stringDictionary(_ key: String) throws(BusError) -> [String: String]? {
    try take(key, "a{ss}") { $0.asStringDictionary }
  }
}

extension HistoryOptions {
  static let keys: Set<String> = [Key.limit, Key.application, Key.since]
  package static let mostEntries: UInt32 = 1000

  init(_ reader: OptionReader) throws(BusError) {
    self.init()
    limit = try reader.uint32(Key.limit) ?? 50
    guard (1...Self.mostEntries).contains(limit) else {
      throw .invalidArguments("option 'limit' must be from 1 to \(Self.mostEntries)")
    }
    application = try reader.string(Key.application)
    since = try reader.uint64(Key.since) ?? 0
  }

  package var dictionary: Options {
    var options: Options = [Key.limit: .uint32(limit)]
    if let application { options[Key.application] = .string(application) }
    if since > 0 { options[Key.since] = .uint64(since) }
    return options
  }
}

extension QueryOptions {
  static let keys: Set<String> = [Key.actAs, Key.application, Key.fromLink]

  init(_ reader: OptionReader) throws(BusError) {
    self.init(
      actAs: try reader.string(Key.actAs), application: try reader.string(Key.application),
      isLink: try reader.boolean(Key.fromLink) ?? false)
  }
}

extension OpenOptions {
  static let keys: Set<String> = [
    Key.actAs, Key.application, Key.newInstance, Key.instances, Key.activate,
    Key.universalLinksOnly, Key.arguments, Key.environment, Key.activationToken, Key.annotation,
    Key.cancellationID,
    Key.interactive, Key.fromLink, Key.requestID, Key.repeated,
    Key.hidden, Key.fresh, Key.standardInput, Key.standardOutput,
    Key.standardError, Key.ownApplication, Key.confirmationAgent,
  ]

  /// Bytes that the options of one open may take; they wait in memory with it.
  package static let maximumByteCount = 262_144
  /// Containers around the innermost value of an annotation. The daemon wraps it once more, and the
  /// bus throws out who sends a message that is nested more than 64 deep.
  package static let maximumAnnotationDepth = 16

  init(_ reader: OptionReader) throws(BusError) {
    self.init()
    try Self.check(reader.options)
    actAs = try reader.string(Key.actAs)
    application = try reader.string(Key.application)
    ownApplication = try reader.boolean(Key.ownApplication) ?? false
    newInstance = try reader.boolean(Key.newInstance) ?? false
    instances = try reader.uint32s(Key.instances) ?? []
    activate = try reader.boolean(Key.activate) ?? true
    universalLinksOnly = try reader.boolean(Key.universalLinksOnly) ?? false
    arguments = try reader.strings(Key.arguments) ?? []
    environment = try reader.stringDictionary(Key.environment) ?? [:]
    activationToken = try Self.activationToken(reader)
    annotation = reader.options[Key.annotation]
    cancellationID = try reader.string(Key.cancellationID)
    interactive = try reader.boolean(Key.interactive) ?? true
    isLink = try reader.boolean(Key.fromLink) ?? false
    confirmationAgent = try reader.path(Key.confirmationAgent)
    requestID = try reader.string(Key.requestID)
    if let requestID, !Self.isRequestID(requestID) {
      throw .invalidArguments(
        "option 'request-id' must be 1 to 128 visible ASCII characters")
    }
    isRepeated = try reader.boolean(Key.repeated) ?? false
    hidden = try reader.boolean(Key.hidden) ?? false
    fresh = try reader.boolean(Key.fresh) ?? false
    standardInput = try reader.descriptor(Key.standardInput)
    standardOutput = try reader.descriptor(Key.standardOutput)
    standardError = try reader.descriptor(Key.standardError)
  }

  /// Bytes of an activation token; those of today's desktops have less than 100.
  package static let longestActivationToken = 1024

  /// Printable ASCII without blanks, as all desktops make them: it becomes an environment variable
  /// of another program.
  package static func isActivationToken(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= longestActivationToken
      && text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
  }

  private static func activationToken(_ reader: OptionReader) throws(BusError) -> String? {
    guard let token = try reader.string(Key.activationToken) else { return nil }
    guard isActivationToken(token) else {
      throw .invalidArguments(
        "option 'activation-token' must have 1 to \(longestActivationToken) printable ASCII"
          + " characters without blanks")
    }
    return token
  }

  package static func isRequestID(_ text: String) -> Bool {
    (1...128).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }

  /// What the options take, in bytes.
  package var byteCount: Int {
    arguments.reduce(0) { $0 + $1.utf8.count }
      + environment.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
      + (annotation?.byteCount ?? 0)
  }

  static func check(_ options: Options) throws(BusError) {
    let size = options.values.reduce(0) { $0 + $1.byteCount }
    guard size <= maximumByteCount else {
      throw OpenFailure.limitExceeded(
        "the options take \(size) bytes; at most \(maximumByteCount) are accepted"
      ).busError
    }
    guard let annotation = options[Key.annotation] else { return }
    guard annotation.depth <= maximumAnnotationDepth else {
      throw .invalidArguments(
        "option 'annotation' is nested \(annotation.depth) deep; at most"
          + " \(maximumAnnotationDepth) containers are handed on")
    }
    guard !annotation.holdsDescriptor else {
      throw .invalidArguments(
        "option 'annotation' holds a file descriptor, which is not handed on")
    }
  }

  /// As a client sends them; what has its default value is left out.
  package var dictionary: Options {
    var options: Options = [:]
    if let actAs { options[Key.actAs] = .string(actAs) }
    if let application { options[Key.application] = .string(application) }
    if ownApplication { options[Key.ownApplication] = .boolean(true) }
    if newInstance { options[Key.newInstance] = .boolean(true) }
    if !instances.isEmpty {
      options[Key.instances] = .array(of: "u", instances.map(Value.uint32))
    }
    if !activate { options[Key.activate] = .boolean(false) }
    if universalLinksOnly { options[Key.universalLinksOnly] = .boolean(true) }
    if !arguments.isEmpty { options[Key.arguments] = .strings(arguments) }
    if !environment.isEmpty { options[Key.environment] = .stringDictionary(environment) }
    if let activationToken { options[Key.activationToken] = .string(activationToken) }
    if let annotation { options[Key.annotation] = annotation }
    if let cancellationID { options[Key.cancellationID] = .string(cancellationID) }
    if let confirmationAgent { options[Key.confirmationAgent] = .objectPath(confirmationAgent) }
    if !interactive { options[Key.interactive] = .boolean(false) }
    if isLink { options[Key.fromLink] = .boolean(true) }
    if let requestID { options[Key.requestID] = .string(requestID) }
    if isRepeated { options[Key.repeated] = .boolean(true) }
    if hidden { options[Key.hidden] = .boolean(true) }
    if fresh { options[Key.fresh] = .boolean(true) }
    if let standardInput { options[Key.standardInput] = .descriptor(standardInput) }
    if let standardOutput { options[Key.standardOutput] = .descriptor(standardOutput) }
    if let standardError { options[Key.standardError] = .descriptor(standardError) }
    return options
  }
}

extension QueryOptions {
  package var dictionary: Options {
    var options: Options = [:]
    if let actAs { options[Key.actAs] = .string(actAs) }
    if let application { options[Key.application] = .string(application) }
    if isLink { options[Key.fromLink] = .boolean(true) }
    return options
  }
}

extension CheckInOptions {
  static let keys: Set<String> = [
    Key.token, Key.bundleIdentifier, Key.objectPath, Key.running, Key.remembersRequests, Key.state,
    Key.documents,
  ]

  init(_ reader: OptionReader) throws(BusError) {
    self.init(
      token: try reader.string(Key.token),
      bundleIdentifier: try reader.string(Key.bundleIdentifier),
      objectPath: try reader.path(Key.objectPath))
    isRunning = try reader.boolean(Key.running) ?? false
    remembersRequests = try reader.boolean(Key.remembersRequests) ?? false
    state = try reader.string(Key.state)
    wantsDescriptors = try reader.string(Key.documents) == Key.descriptors
  }

  package var dictionary: Options {
    var options: Options = [:]
    if let token { options[Key.token] = .string(token) }
    if let bundleIdentifier { options[Key.bundleIdentifier] = .string(bundleIdentifier) }
    if let objectPath { options[Key.objectPath] = .objectPath(objectPath) }
    if isRunning { options[Key.running] = .boolean(true) }
    if remembersRequests { options[Key.remembersRequests] = .boolean(true) }
    if let state { options[Key.state] = .string(state) }
    if wantsDescriptors { options[Key.documents] = .string(Key.descriptors) }
    return options
  }
}
