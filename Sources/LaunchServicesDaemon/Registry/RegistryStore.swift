internal import ApplicationFolders
internal import Host
internal import LaunchRules
internal import PropertyLists
internal import RegistryLoading

/// The registry of applications: the applications in the folders, the registrations and choices of the user, and the
/// counted queries of callers linked before iOS 9.
final class RegistryStore {
  /// The folders to read, and the limits.
  struct Configuration {
    var folders: [ApplicationFolder]
    var stateFolder: String
    var cache: RecordCache
    /// Polling interval for folders that cannot be watched, in seconds.
    var lookInterval: Int
    var policy: CollisionPolicy
    /// See `DeviceSettings`.
    var callsFrom: String?
    var maximumRegistrations: Int
    /// `PATH` of applications.
    var searchPath = "/usr/local/bin:/usr/bin:/bin"
  }

  private let loaded: LoadedRegistry
  private let choices: RegistryChoices
  private let loader: RegistryLoader
  private let quotas: QueryQuotas
  private let reader = PropertyListReader()
  private let search = ApplicationSearch()
  private let searchPath: String
  private let stateFolder: String

  init(_ configuration: Configuration, _ journal: Journal) {
    searchPath = configuration.searchPath
    stateFolder = configuration.stateFolder
    let files = RegistryFiles(in: configuration.stateFolder, journal)
    choices = RegistryChoices(files.read(), limit: configuration.maximumRegistrations) {
      (state, added) throws(FileError) in try files.write(state, adding: added)
    }
    var registry = Registry(
      policy: configuration.policy, callsFrom: configuration.callsFrom,
      cache: RecentApplications())
    choices.bind(in: &registry)
    loaded = LoadedRegistry(registry, journal)
    loader = RegistryLoader(
      loaded, choices, folders: configuration.folders, cache: configuration.cache,
      lookInterval: configuration.lookInterval, journal)
    quotas = QueryQuotas(
      StateFile(path: configuration.stateFolder + "/queries.plist"), journal)
  }

  var registry: Registry { loaded.registry }

  // MARK: Events

  /// Called after each change of the registry.
  var onChange: ((RegistryChange) -> Void)? {
    get { loaded.onChange }
    set { loaded.onChange = newValue }
  }

  /// Called after property lists were read.
  var onRead: (() -> Void)? {
    get { loader.onRound }
    set { loader.onRound = newValue }
  }

  /// Called with the progress of reading many property lists.
  var onProgress: ((_ read: Int, _ due: Int) -> Void)? {
    get { loader.onProgress }
    set { loader.onProgress = newValue }
  }

  // MARK: Loading

  /// Returns when every property list has been read.
  func start() async { await loader.start() }

  func stop() { loader.stop() }

  func reload() async { await loader.reload() }

  /// The findings about a property list, by itself and in combination with the registered applications.
  func lint(
    _ path: String, _ definitions: [String: String] = [:]
  ) async throws(RegistryRefusal) -> [Diagnostic] {
    do throws(PropertyListPath.NotFound) {
      let checked = try await reader.lint(path, definitions, searchPath: searchPath).get()
      guard var application = checked.reading.application else { return checked.diagnostics }
      let standIn = StandInFolder(of: application.identifier, in: stateFolder)
      let isReplaced = standIn.isMade(of: application.propertyList)
      // The time decides between equals: that of the registration, also of its stand-in, and now for a property list
      // that is new, with one tick of the clock of files: a registration a moment ago may have the time of this tick.
      application.installedAt =
        registry.application(at: application.propertyList)?.installedAt
        ?? (isReplaced ? registry.application(at: standIn.propertyList)?.installedAt : nil)
        ?? Time.fileClockNanoseconds() + 10_000_000
      let remarks = Task.detached { [registry, application] in
        var others = registry
        if isReplaced { others.change(removing: [standIn.propertyList], installing: []) }
        return RegistryLint(application, in: others, files: checked.files).diagnostics
      }
      return checked.diagnostics + (await remarks.value)
    } catch {
      throw .invalidBundle(error.description)
    }
  }

  /// Replaces the applications of the desktop.
  func replaceDesktopApplications(_ records: [ApplicationRecord]) {
    loaded.replaceDesktopApplications(records)
  }

  // MARK: Registrations

  func register(
    _ path: String, _ definitions: [String: String]
  ) async throws(RegistryRefusal) -> BundleIdentifier {
    let reading = await reader.read(path, definitions)
    let (application, isUnchanged) = try loader.register(reading, definitions: definitions)
    // The registration of another file counts as a new installation (R3.8).
    if !isUnchanged { quotas.reset(application.identifier) }
    return application.identifier
  }

  func unregister(_ identifier: BundleIdentifier) throws(RegistryRefusal) {
    try loader.unregister(
      identifier.text, copies: registry.copies(of: identifier).map(\.propertyList))
  }

  /// - Parameter path: path of a bundle or a property list, which need not exist.
  func unregister(path: String) throws(RegistryRefusal) {
    let copies = ([path] + PropertyListPath.places(in: path)).filter {
      registry.application(at: $0) != nil || choices.registeredPaths.contains($0)
    }
    try loader.unregister(path, copies: copies)
  }

  /// - Returns: the paths of the removed registrations.
  func forgetRegistrations(missingOnly: Bool) throws(RegistryRefusal) -> [String] {
    try loader.forgetRegistrations(missingOnly: missingOnly)
  }

  /// Returns when the registry reflects the current state of the folders.
  func settle() async { await loader.settle() }

  /// Stores registrations, choices and counted queries again after their files were removed.
  func storeAgain() throws(FileError) {
    try choices.storeAgain()
    quotas.store()
  }

  // MARK: Chosen handlers

  /// - Parameter identifier: nil removes the choice, also in the methods below.
  func bind(_ scheme: URLScheme, to wanted: BundleIdentifier?) throws(RegistryRefusal) {
    var identifier = wanted
    if let wanted {
      let application = try installed(wanted)
      identifier = application
      if let objection = registry.objection(to: application, for: scheme) {
        throw .notPermitted(objection)
      }
    }
    try choices.bind(scheme, to: identifier)
    loaded.change { $0.bind(scheme, to: identifier) }
  }

  func bind(_ type: TypeIdentifier, to wanted: BundleIdentifier?) throws(RegistryRefusal) {
    var identifier = wanted
    if let wanted {
      identifier = try check(wanted, for: DocumentSubject(registry.kind(ofType: type)))
    }
    try choices.bind(type, to: identifier)
    loaded.change { $0.bind(type, to: identifier) }
  }

  /// - Parameter document: the type of the file.
  func bind(
    file: String, _ document: DocumentSubject, to wanted: BundleIdentifier
  ) throws(RegistryRefusal) {
    let identifier = try check(wanted, for: document)
    try choices.bind(file: file, to: identifier)
    loaded.change { $0.bind(file: file, to: identifier) }
  }

  func unbind(file: String) throws(RegistryRefusal) {
    try choices.bind(file: file, to: nil)
    loaded.change { $0.bind(file: file, to: nil) }
  }

  /// The identifier of the application, of which one may be given as a desktop file ID.
  private func installed(_ wanted: BundleIdentifier) throws(RegistryRefusal) -> BundleIdentifier {
    guard let application = registry.application(wanted) else { throw Self.isUnknown(wanted) }
    return application.identifier
  }

  private func check(
    _ wanted: BundleIdentifier, for document: DocumentSubject
  ) throws(RegistryRefusal) -> BundleIdentifier {
    let identifier = try installed(wanted)
    if let objection = registry.objection(to: identifier, for: document) {
      throw .notPermitted(objection)
    }
    return identifier
  }

  private static func isUnknown(_ identifier: BundleIdentifier) -> RegistryRefusal {
    .notRegistered(OpenFailure.notRegistered(identifier).sentence)
  }

  // MARK: Queries

  /// Answers a query. A query of a caller linked before iOS 9 is counted (R3.8).
  /// - Parameters:
  ///   - host: of a web URL.
  ///   - machines: the rules that send URLs to machines.
  func canOpen(
    _ scheme: URLScheme?, host: WebHost? = nil, _ caller: ActingCaller,
    machines: MachineRules = MachineRules()
  ) -> CanOpenAnswer {
    quotas.count {
      CanOpenRule.answer(
        scheme: scheme, host: host, caller: caller, registry: loaded.registry, machines: machines,
        quotas: &$0)
    }
  }

  /// The counted queries, for explanations, which do not count.
  var countedQueries: LegacyQuotas { quotas.counted }

  /// The only application with this executable; see `ExecutableIndex.owner`.
  func owner(of executable: ProcessDetails.Executable) -> CallerRule.Executable {
    loaded.owner(of: executable)
  }

  func diagnostics(of propertyList: String) -> [Diagnostic] {
    loaded.diagnostics(of: propertyList)
  }

  /// The applications that may get URLs of the scheme, best first.
  func handlers(of scheme: URLScheme) async -> ApplicationSearch.Handlers {
    await search.handlers(of: scheme, in: registry)
  }

  /// Finds applications, best first, a page at a time; see `ApplicationSearch`.
  func find(_ question: ApplicationSearch.Question) async -> [InstalledApplication] {
    await search.find(question, in: registry)
  }
}
