package import DBus
internal import LaunchRules

/// Options of `OpenURL` and `PerformQuickAction`.
package struct OpenOptions: Hashable, Sendable {
  package var actAs: String?
  /// The bundle identifier of the designated handler.
  package var application: String?
  /// The name or the identifier of the device that is to receive the URL.
  package var device: String?
  /// Whether the caller itself is the designated handler.
  package var ownApplication = false
  package var newInstance = false
  /// Processes that may receive an open with `newInstance` instead of another new process.
  package var instances: [UInt32] = []
  package var activate = true
  package var universalLinksOnly = false
  /// Whether the opener uses the deprecated `openURL(_:)`, which does not wait for the result (R4.6).
  package var isLegacy = false
  /// For a new process only (R5.34).
  package var arguments: [String] = []
  package var environment: [String: String] = [:]
  package var activationToken: String?
  package var annotation: Value?
  package var cancellationID: String?
  package var interactive = true
  /// Whether the URL is a link of a page or of another document, which the caller's user did not write.
  package var isLink = false
  /// Whether the URL may contain characters that RFC 3986 does not allow. It is delivered unchanged.
  package var anyCharacters = false
  /// Whether another machine has sent the URL here, so that it is not sent on.
  package var isRelayed = false
  /// The path of an object of the caller that asks its user at the terminal.
  package var confirmationAgent: ObjectPath?
  /// Chosen by the client: a request whose identifier the client has used before is not delivered again.
  package var requestID: String?
  /// Whether the request was sent before with its `requestID` and the answer was lost.
  package var isRepeated = false
  /// The time from the arrival of the call after which the open is cancelled unless its delivery has begun, in
  /// milliseconds; nil for no limit.
  package var validFor: UInt32?
  /// Tells a new process to start without showing itself.
  package var hidden = false
  /// Tells a new process to start without restoring its earlier state.
  package var fresh = false
  /// Whether the caller is going to wait for the end of the process.
  package var waitsForExit = false
  /// The standard streams of a new process; nil for an empty input, and for the daemon's output streams.
  package var standardInput: OwnedDescriptor?
  package var standardOutput: OwnedDescriptor?
  package var standardError: OwnedDescriptor?
  package init() {}
}

extension OpenOptions {
  /// Whether the options hold a standard stream for a new process.
  package var hasStreams: Bool {
    standardInput != nil || standardOutput != nil || standardError != nil
  }

  package mutating func dropStreams() {
    standardInput = nil
    standardOutput = nil
    standardError = nil
  }
}

extension OpenOptions {
  static let keys = description.keys

  /// Maximum size of the options of one open, in bytes; a waiting open keeps them in memory.
  package static let maximumByteCount = 262_144
  /// Maximum number of containers around the innermost value of an annotation. The daemon adds one container,
  /// and the bus disconnects a client that sends a message nested more than 64 deep.
  package static let maximumAnnotationDepth = 16

  package static let description = DictionaryDescription(
    "Options of an open",
    [
      .init(
        Key.actAs, "s",
        "Acts as the application with this identifier. Applications may not use `as`."),
      .init(
        Key.application, "s", "The identifier of the application that is to receive the URL."),
      .init(Key.ownApplication, "b", "True if the calling application is to receive the URL."),
      .init(
        Key.onDevice, "s",
        """
        The name or the identifier of the device that is to receive the URL, as Devices returns it: 1 to \
        \(longestDeviceName) bytes. A phone does not acknowledge the URL, so the delivery is `handed-over`; that of a \
        machine is the one of the machine. Not for \
        files, and not together with `application`, `own-application` and `universal-links-only`. iOS applications \
        may not use `on`.
        """),
      .init(Key.newInstance, "b", "True starts a new process."),
      .init(
        Key.instances, "au",
        """
        With `new-instance`: processes of earlier receipts. The process that belongs to the \
        application receives this URL too, and no further process is started.
        """),
      .init(
        Key.activate, "b", "False does not bring the application to the front; by default true."),
      .init(
        Key.universalLinksOnly, "b",
        "True fails if no application receives the URL as a universal link."),
      .init(
        Key.legacy, "b",
        """
        True answers when the open is accepted, with the delivery `unacknowledged`, as the deprecated \
        openURL(_:) of Apple does. Fails with NotPermitted for an iOS application that is linked with the \
        SDK of iOS 18 or later.
        """),
      .init(Key.arguments, "as", "The arguments of a new process."),
      .init(Key.environment, "a{ss}", "Environment variables of a new process."),
      .init(Key.standardInput, "h", "The standard input of a new process; by default empty."),
      .init(
        Key.standardOutput, "h",
        "The standard output of a new process; by default that of the service."),
      .init(
        Key.standardError, "h",
        "The standard error of a new process; by default that of the service."),
      .init(Key.hidden, "b", "True tells a new process to start hidden."),
      .init(Key.fresh, "b", "True tells a new process not to restore its last state."),
      .init(
        Key.waitsForExit, "b",
        """
        True if the caller is going to call WaitForExit: fails, before anything is delivered, for an \
        application whose end is not known.
        """),
      .init(
        Key.activationToken, "s",
        """
        The activation token of the desktop: 1 to \(longestActivationToken) printable ASCII \
        characters without blanks.
        """),
      .init(
        Key.annotation, "v",
        """
        A value for the handler, with at most \(maximumAnnotationDepth) nested containers and \
        without file descriptors.
        """),
      .init(Key.cancellationID, "s", "A name by which CancelOpen cancels this open."),
      .init(
        Key.requestID, "s",
        """
        A name of the request: 1 to 128 visible ASCII characters, best a UUID. A second call with the \
        same name delivers nothing a second time, and returns the receipt of the first. The same \
        name with another URL, `application` or `new-instance` fails with InvalidArgs. The names are \
        those of the user, whichever process calls; an iOS application and a caller in a sandbox \
        have names of their own, except for names with 32 hexadecimal digits in a row (hyphens do \
        not count).
        """),
      .init(
        Key.repeated, "b",
        "With `request-id`: true if the request was sent before, and the reply was lost."),
      .init(
        Key.validFor, "u",
        """
        Milliseconds from the arrival of the call, at least 1: after that time, also when the machine was suspended \
        meanwhile, the open fails with Cancelled unless its delivery has begun.
        """),
      .init(
        Key.interactive, "b",
        "False fails with ConfirmationUnavailable instead of asking the user; by default true."),
      .init(
        Key.fromLink, "b",
        "True if the URL is a link of a page or a document: the user is asked as for a page."),
      .init(
        Key.anyCharacters, "b",
        """
        True accepts a URL with characters that RFC 3986 does not allow, such as blanks, umlauts and a single `%`, as \
        xdg-open does, and delivers it unchanged. Control characters, and such file URLs, fail with InvalidURL in any \
        case. For OpenURL only.
        """),
      .init(
        Key.relayed, "b",
        "True if the URL has come from another machine: no rule of the user sends it to a further one."
      ),
      .init(
        Key.confirmationAgent, "o",
        "An object of the caller that exports ConfirmationAgent1 and asks at the caller's terminal."
      ),
    ])

  init(_ reader: OptionReader) throws(BusError) {
    self.init()
    try Self.check(reader.options)
    actAs = try reader.string(Key.actAs)
    application = try reader.string(Key.application)
    device = try Self.device(reader)
    ownApplication = try reader.boolean(Key.ownApplication) ?? false
    newInstance = try reader.boolean(Key.newInstance) ?? false
    instances = try reader.uint32s(Key.instances) ?? []
    activate = try reader.boolean(Key.activate) ?? true
    universalLinksOnly = try reader.boolean(Key.universalLinksOnly) ?? false
    isLegacy = try reader.boolean(Key.legacy) ?? false
    arguments = try reader.strings(Key.arguments) ?? []
    environment = try reader.stringDictionary(Key.environment) ?? [:]
    activationToken = try Self.activationToken(reader)
    annotation = reader.options[Key.annotation]
    cancellationID = try reader.string(Key.cancellationID)
    interactive = try reader.boolean(Key.interactive) ?? true
    isLink = try reader.boolean(Key.fromLink) ?? false
    anyCharacters = try reader.boolean(Key.anyCharacters) ?? false
    isRelayed = try reader.boolean(Key.relayed) ?? false
    confirmationAgent = try reader.path(Key.confirmationAgent)
    requestID = try reader.string(Key.requestID)
    if let requestID, !Self.isRequestID(requestID) {
      throw .invalidArguments(
        "option 'request-id' must be 1 to 128 visible ASCII characters")
    }
    isRepeated = try reader.boolean(Key.repeated) ?? false
    validFor = try reader.uint32(Key.validFor)
    if validFor == 0 {
      throw .invalidArguments("option 'valid-for' must be at least 1 millisecond")
    }
    hidden = try reader.boolean(Key.hidden) ?? false
    fresh = try reader.boolean(Key.fresh) ?? false
    waitsForExit = try reader.boolean(Key.waitsForExit) ?? false
    standardInput = try reader.descriptor(Key.standardInput)
    standardOutput = try reader.descriptor(Key.standardOutput)
    standardError = try reader.descriptor(Key.standardError)
  }

  /// Maximum length of an activation token, in bytes; those of today's desktops have less than 100.
  package static let longestActivationToken = 1024

  /// Whether the text is printable ASCII without blanks, as the tokens of all desktops are. The token becomes
  /// an environment variable of another program.
  package static func isActivationToken(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= longestActivationToken
      && text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
  }

  /// Maximum length of the name of a device, in bytes.
  package static let longestDeviceName = 255

  static func device(_ reader: OptionReader) throws(BusError) -> String? {
    guard let name = try reader.string(Key.onDevice) else { return nil }
    guard (1...longestDeviceName).contains(name.utf8.count) else {
      throw .invalidArguments(
        "option 'on' must have 1 to \(longestDeviceName) bytes, the name or the identifier of a device"
      )
    }
    return name
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

  /// The size of the options, in bytes.
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
          + " \(maximumAnnotationDepth) containers are delivered")
    }
    guard !annotation.hasDescriptor else {
      throw .invalidArguments(
        "option 'annotation' contains a file descriptor, which is not handed on")
    }
  }

  /// The options of a client's call, without default values.
  package var dictionary: Options {
    var options: Options = [:]
    if let actAs { options[Key.actAs] = .string(actAs) }
    if let application { options[Key.application] = .string(application) }
    if let device { options[Key.onDevice] = .string(device) }
    if ownApplication { options[Key.ownApplication] = .boolean(true) }
    if newInstance { options[Key.newInstance] = .boolean(true) }
    if !instances.isEmpty {
      options[Key.instances] = .array(of: "u", instances.map(Value.uint32))
    }
    if !activate { options[Key.activate] = .boolean(false) }
    if universalLinksOnly { options[Key.universalLinksOnly] = .boolean(true) }
    if isLegacy { options[Key.legacy] = .boolean(true) }
    if !arguments.isEmpty { options[Key.arguments] = .strings(arguments) }
    if !environment.isEmpty { options[Key.environment] = .stringDictionary(environment) }
    if let activationToken { options[Key.activationToken] = .string(activationToken) }
    if let annotation { options[Key.annotation] = annotation }
    if let cancellationID { options[Key.cancellationID] = .string(cancellationID) }
    if let confirmationAgent { options[Key.confirmationAgent] = .objectPath(confirmationAgent) }
    if !interactive { options[Key.interactive] = .boolean(false) }
    if isLink { options[Key.fromLink] = .boolean(true) }
    if anyCharacters { options[Key.anyCharacters] = .boolean(true) }
    if isRelayed { options[Key.relayed] = .boolean(true) }
    if let requestID { options[Key.requestID] = .string(requestID) }
    if isRepeated { options[Key.repeated] = .boolean(true) }
    if let validFor { options[Key.validFor] = .uint32(validFor) }
    if hidden { options[Key.hidden] = .boolean(true) }
    if fresh { options[Key.fresh] = .boolean(true) }
    if waitsForExit { options[Key.waitsForExit] = .boolean(true) }
    if let standardInput { options[Key.standardInput] = .descriptor(standardInput) }
    if let standardOutput { options[Key.standardOutput] = .descriptor(standardOutput) }
    if let standardError { options[Key.standardError] = .descriptor(standardError) }
    return options
  }
}
