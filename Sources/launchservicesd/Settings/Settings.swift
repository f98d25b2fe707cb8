internal import Host
internal import LaunchRules
internal import ProcessSupervision

/// What the settings file and the command line set, one struct for each component that needs it.
///
/// The initial value of a field is the default of the setting; `SettingsTable` describes each field.
nonisolated struct Settings: Hashable, Sendable {
  var opens = OpenLimits()
  var delivery = DeliverySettings()
  var launch = LaunchSettings()
  var registry = RegistrySettings()
  var record = RecordSettings()
  var confirmations = ConfirmationSettings()
  var associations = AssociationSettings()
  var log = LogSettings()
  /// Accept connections on the socket, with no bus between, besides those of the bus.
  var takesDirectConnections = true
}

/// What callers may ask for at once.
nonisolated struct OpenLimits: Hashable, Sendable {
  /// Bytes of a URL.
  var maximumURLLength = 1 << 20
  /// Opens that may wait for one application.
  var maximumQueueLength = 1000
  /// Opens of one caller that may be under way.
  var maximumOpensPerCaller = 5000
  /// Bytes that all opens under way may take together.
  var maximumPendingBytes = 64 << 20
}

/// How a URL is handed to a running handler.
nonisolated struct DeliverySettings: Hashable, Sendable {
  /// Seconds a handler may take to answer a delivery.
  var timeout = 20
  var completion = CompletionSemantics.delivered

  /// The caller is answered when the application was invoked, as Apple does (R4.3).
  var completesWhenInvoked: Bool { completion == .invoked }
}

/// When `OpenURL` answers (R4.3).
nonisolated enum CompletionSemantics: String, Hashable, Sendable, CaseIterable {
  /// The application has acknowledged the URL.
  case delivered
  /// The application was invoked.
  case invoked
}

/// How the processes of applications are started and watched.
nonisolated struct LaunchSettings: Hashable, Sendable {
  var launcher = LauncherSetting.automatic
  /// Seconds a process may take from its start to `FinishLaunching` (R5.25).
  var timeout = 20
  /// Processes that are launched at once; others wait.
  var maximumLaunches = 32
  /// Processes of one application that run, and those that one caller has had started as new instances.
  var maximumInstances = 32
  /// Seconds that an application which ran before the daemon has to check in again.
  var checkInGrace = 5
  /// Seconds in the background after which an application is suspended; nil for never.
  var suspendAfter: Int?

  var supervision: SupervisionSettings {
    var settings = SupervisionSettings()
    settings.launcher = launcher
    settings.timeout = timeout
    settings.maximumLaunches = maximumLaunches
    settings.suspendAfter = suspendAfter
    return settings
  }
}

/// Which applications are registered, and which of them handles a scheme.
nonisolated struct RegistrySettings: Hashable, Sendable {
  var collisionPolicyName = CollisionPolicy.Name.lastInstalled
  /// Used by the policy `seeded-random` alone.
  var collisionSeed: UInt64 = 0
  /// Applications that `RegisterApplication` may add.
  var maximumRegistrations = 10_000

  var collisionPolicy: CollisionPolicy {
    CollisionPolicy(collisionPolicyName, seed: collisionSeed)
  }
}

/// What is kept of requests.
nonisolated struct RecordSettings: Hashable, Sendable {
  /// Requests.
  var limit = 10_000
  /// Seconds for which they are kept.
  var age = 7 * 24 * 3600
  /// Keep the query and fragment of URLs, too, which may hold secrets.
  var keepsFullURLs = false
}

/// Which opens the user confirms.
nonisolated struct ConfirmationSettings: Hashable, Sendable {
  var table = ConfirmationTable()
  /// Seconds the user has to answer.
  var timeout = 60
  var webOrigin = WebOrigin()
}

/// How universal links are checked with the sites they lead to.
nonisolated struct AssociationSettings: Hashable, Sendable {
  /// Ask sites for their association files (R8.5).
  var fetches = true
  /// Associated domains with `mode=developer` count (R8.4).
  var allowsDeveloperLinks = false
  /// In association files `/x/*` matches `/x`, too (R8.17).
  var lenientTrailingSlash = false
}

nonisolated struct LogSettings: Hashable, Sendable {
  var level = JournalLevel.notice
  /// Lines in one second; more are counted, not written.
  var rate = 100
}
