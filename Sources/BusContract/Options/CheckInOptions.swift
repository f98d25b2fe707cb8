package import DBus
internal import LaunchRules

/// Options of `CheckIn`.
package struct CheckInOptions: Hashable, Sendable {
  package var token: String?
  package var bundleIdentifier: String?
  package var objectPath: ObjectPath?
  /// Whether the application is running already and checks in with a new daemon.
  package var isRunning = false
  /// Whether the handler recognises repeated deliveries by their `request`, and acts on each once. See
  /// `RepeatedRequest.remembered`.
  package var remembersRequests = false
  /// The state of a running application at its check-in, such as `active`.
  package var state: String?
  /// Whether the handler receives documents as open files.
  package var wantsDescriptors = false
  /// Whether the handler reads the launch contents from the reply when its property list has a scene
  /// manifest.
  package var takesConnectionOptions = false
  package init(token: String? = nil, bundleIdentifier: String? = nil, objectPath: ObjectPath? = nil)
  {
    self.token = token
    self.bundleIdentifier = bundleIdentifier
    self.objectPath = objectPath
  }
}

extension CheckInOptions {
  static let keys = description.keys

  package static let description = DictionaryDescription([
    .init(Key.token, "s", "The value of the environment variable `LAUNCH_SERVICES_TOKEN`."),
    .init(Key.bundleIdentifier, "s", "The identifier of the application."),
    .init(
      Key.objectPath, "o",
      """
      The object that exports Application1; by default `\(Contract.applicationPath)`.
      """),
    .init(
      Key.running, "b",
      """
      True for a process that ran before the service started: the process is ready at once, and \
      passes no token.
      """),
    .init(
      Key.remembersRequests, "b",
      """
      True promises that the handler acts on no `request` twice, and answers a repeated request as \
      before, for its last \(RepeatedRequest.remembered) requests at least.
      """),
    .init(
      Key.state, "s",
      "With `running`: the state of the application, for example `active`."),
    .init(
      Key.documents, "s",
      "With the value `\(Key.descriptors)`, documents are delivered as open files."),
    .init(
      Key.scenes, "b",
      """
      True if the handler reads `connection-options`. The option has an effect only when the property \
      list has a scene manifest.
      """),
  ])

  init(_ reader: OptionReader) throws(BusError) {
    self.init(
      token: try reader.string(Key.token),
      bundleIdentifier: try reader.string(Key.bundleIdentifier),
      objectPath: try reader.path(Key.objectPath))
    isRunning = try reader.boolean(Key.running) ?? false
    remembersRequests = try reader.boolean(Key.remembersRequests) ?? false
    state = try reader.string(Key.state)
    wantsDescriptors = try reader.string(Key.documents) == Key.descriptors
    takesConnectionOptions = try reader.boolean(Key.scenes) ?? false
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
    if takesConnectionOptions { options[Key.scenes] = .boolean(true) }
    return options
  }
}
