package import DBus

/// Options of `CheckIn`.
package struct CheckInOptions: Hashable, Sendable {
  package var token: String?
  package var bundleIdentifier: String?
  package var objectPath: ObjectPath?
  /// Whether the application is running already and checks in with a new daemon.
  package var isRunning = false
  /// Whether the handler recognises repeated deliveries by their `request`, and acts on each once.
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
  static let keys: Set<String> = [
    Key.token, Key.bundleIdentifier, Key.objectPath, Key.running, Key.remembersRequests, Key.state,
    Key.documents, Key.scenes,
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
