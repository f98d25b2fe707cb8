package import DBus

/// Options of `CheckIn`.
package struct CheckInOptions: Hashable, Sendable {
  package var token: String?
  package var bundleIdentifier: String?
  package var objectPath: ObjectPath?
  /// It has been launched before and comes back to a new daemon.
  package var isRunning = false
  /// It knows the requests it was given by their `request`, and acts on none twice.
  package var remembersRequests = false
  /// Its state when it comes back, such as `active`.
  package var state: String?
  /// It wants documents as open files.
  package var wantsDescriptors = false
  /// It reads what it was launched for in the answer, when its property list has a scene manifest.
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
