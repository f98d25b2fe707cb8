internal import BusContract
internal import FoundationEssentials
internal import LaunchRules

// Installs applications in a testbed.

extension Testbed {
  /// Installs an application with the default settings and waits until it is registered.
  /// - Parameters:
  ///   - identifier: the bundle identifier of the application.
  ///   - schemes: the names of the schemes that it handles, such as `photos`.
  ///   - queries: the schemes of its `LSApplicationQueriesSchemes`.
  ///   - script: what its handler does with the URLs that it gets.
  ///   - change: changes further settings of the application before it is installed.
  /// - Returns: the handler, which knows the URLs that it got.
  /// - Throws: `TestbedFailure` for a text that is no scheme, such as `photos://`; `Refusal`.
  @discardableResult public func install(
    _ identifier: String, schemes: [String] = [], queries: [String] = [],
    _ script: HandlerScript = .delegate(), _ change: (inout TestApplication) -> Void = { _ in }
  ) async throws -> ScriptedHandler {
    for scheme in schemes where URLScheme(scheme) == nil {
      throw TestbedFailure(
        "'\(scheme)' of \(identifier) is not the name of a URL scheme, such as photos: the system would refuse the"
          + " claim. To test that, set the schemes of a TestApplication")
    }
    var application = TestApplication(identifier, script)
    application.schemes = schemes
    application.queries = queries
    change(&application)
    return try await install(application)
  }

  /// Installs an application and waits until it is registered, if the daemon runs.
  @discardableResult public func install(
    _ application: TestApplication
  ) async throws -> ScriptedHandler {
    let handler = try put(application)
    if application.place == .registered {
      try await client.register(handler.path)
    } else if let daemon, daemon.end == nil {
      try await client.reload()
    }
    return handler
  }

  /// Puts an application into its folder atomically, without waiting. Replaces an application of the same
  /// bundle name.
  @discardableResult public func put(_ application: TestApplication) throws -> ScriptedHandler {
    guard let director else { throw TestbedFailure("this testbed has no bus") }
    let files = FileManager.default
    let name = (application.bundleName ?? application.identifier) + ".app"
    let folder = folder(of: application.place)
    try folders.make(folder)
    let made = try make(application)
    let path = folder + "/" + name
    if files.fileExists(atPath: path) { try files.removeItem(atPath: path) }
    try files.moveItem(atPath: made, toPath: path)
    let handler = ScriptedHandler(
      application.identifier, application.script, at: path, director)
    director.add(handler)
    return handler
  }

  private func folder(of place: TestApplication.Place) -> String {
    switch place {
    case .userFolder: folders.applications
    case .systemFolder: folders.systemApplications
    case .registered: folders.elsewhere
    }
  }

  /// Makes the bundle in a folder that the daemon does not read.
  private func make(_ application: TestApplication) throws -> String {
    let bundle = folders.root + "/made-" + UUID().uuidString
    let (contents, programs) =
      switch application.layout {
      case .iOS: (bundle, bundle)
      case .macOS: (bundle + "/Contents", bundle + "/Contents/MacOS")
      }
    try folders.make(programs)
    try makeExecutable(application.executable, programs + "/" + application.executableName)
    for (path, text) in application.otherFiles {
      let file = URL(filePath: bundle).appending(path: path)
      try folders.make(file.deletingLastPathComponent().path)
      try Data(text.utf8).write(to: file)
    }
    try application.propertyList().write(to: URL(filePath: contents + "/Info.plist"))
    return bundle
  }

  private func makeExecutable(_ executable: TestApplication.Executable, _ path: String) throws {
    let files = FileManager.default
    switch executable {
    case .missing: return
    case .file(let text, let permissions):
      try Data(text.utf8).write(to: URL(filePath: path))
      try files.setAttributes([.posixPermissions: permissions], ofItemAtPath: path)
    case .scripted:
      let program = try Programs.find("scripted-handler")
      do {
        // Each program has its own name, because the daemon identifies applications by their executables.
        try files.linkItem(atPath: program, toPath: path)
      } catch {
        // The program is on another file system. All applications share one copy, because it has many
        // megabytes.
        try files.linkItem(atPath: try Programs.copy(of: program), toPath: path)
      }
    }
  }

  /// Starts the program of an application as a user would, without the daemon.
  @discardableResult public func start(_ handler: ScriptedHandler) throws -> ObservedProcess {
    let program = handler.path + "/program"
    return try startProcess(
      program, environment: [Contract.identifierVariable: handler.identifier])
  }

  /// The property list of an installed application.
  public func propertyList(of handler: ScriptedHandler) -> String {
    let outer = handler.path + "/Info.plist"
    return FileManager.default.fileExists(atPath: outer)
      ? outer : handler.path + "/Contents/Info.plist"
  }
}
