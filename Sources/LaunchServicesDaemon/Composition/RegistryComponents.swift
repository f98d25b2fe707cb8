internal import ApplicationFolders
internal import DaemonSettings
internal import Host
internal import LaunchRules
internal import ProcessSupervision
internal import RegistryLoading

/// The components that own the applications and the choices of the user.
struct RegistryComponents {
  let store: RegistryStore
  let links: AssociatedDomains
  let quickActions: DynamicQuickActions
  let desktopExporter: DesktopExporter
  let defaultsGuard: DefaultsGuard
  let desktopImporter: DesktopImporter
  let endpointChecks: EndpointChecks
  let documents: DocumentResolver
  let remotes: RemoteStore

  init(
    _ configuration: DaemonConfiguration, _ environment: HandlerEnvironment,
    _ services: ServiceManager, _ journal: Journal
  ) {
    let settings = configuration.settings
    let (state, cache) = (configuration.stateFolder, configuration.cacheFolder)
    store = RegistryStore(
      .init(
        folders: configuration.folders, stateFolder: state,
        cache: RecordCache(path: cache + "/applications", program: Self.build),
        lookInterval: configuration.lookInterval, policy: settings.registry.collisionPolicy,
        callsFrom: settings.devices.callsFrom,
        maximumRegistrations: settings.registry.maximumRegistrations,
        searchPath: environment.path), journal)
    let associations = AssociationStore(
      added: state + "/links", fetched: cache + "/links", journal)
    links = AssociatedDomains(
      settings.associations, StateFile(path: state + "/links.plist"), associations,
      AssociationFetcher(
        associations, services, environment, StateFile(path: cache + "/links.plist"),
        .init(
          isAllowed: settings.associations.fetches, launcher: settings.launch.launcher,
          server: configuration.associationServer), journal),
      journal)
    quickActions = DynamicQuickActions(
      StateFile(path: state + "/shortcut-items.plist", isBinary: true), journal)
    let desktopProgram = DesktopProgram(environment)
    desktopExporter = DesktopExporter(
      StateFile(path: state + "/desktop.plist"), desktopProgram,
      UserFolders(environment: configuration.environment), journal)
    defaultsGuard = DefaultsGuard(
      StateFile(path: state + "/guard.plist"), desktopProgram, journal)
    endpointChecks = EndpointChecks(desktopProgram, journal)
    desktopImporter = DesktopImporter(
      cacheFile: cache + "/desktop-applications.plist", desktopProgram,
      UserFolders(environment: configuration.environment), journal)
    remotes = RemoteStore(
      StateFile(path: state + "/remotes.plist"), journal)
    documents = DocumentResolver(
      store, DesktopMIMETypes(desktopProgram, journal), longest: settings.opens.maximumURLLength)
  }

  /// Reads the property lists and the applications of the desktop. Returns when all are in the registry.
  func start() async {
    async let desktop: Void = desktopImporter.start()
    await store.start()
    await desktop
    quickActions.recordRegistryRead()
    dropQuickActions()
  }

  /// Reads everything again.
  func reload() async {
    async let desktop: Void = desktopImporter.reload()
    await store.reload()
    await desktop
  }

  func stop() {
    store.stop()
    links.stop()
    desktopImporter.stop()
    defaultsGuard.stop()
  }

  /// An identifier of this build of the program.
  private static var build: String {
    let stamp = try? FileStamp(path: "/proc/self/exe")
    return stamp.map(\.description) ?? ""
  }

  /// Drops the quick actions of applications that are no longer registered.
  func dropQuickActions() {
    quickActions.keep { store.registry.application($0) != nil }
  }
}
