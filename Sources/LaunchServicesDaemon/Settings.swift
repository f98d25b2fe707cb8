package import Host
package import LaunchRules
package import ProcessSupervision

/// What the settings file and the command line set, one struct for each component that needs it.
///
/// The initial value of a field is the default of the setting; `SettingsTable` describes each field.
package nonisolated struct Settings: Hashable, Sendable {
  package var opens = OpenLimits()
  package var delivery = DeliverySettings()
  package var launch = LaunchSettings()
  package var registry = RegistrySettings()
  package var record = RecordSettings()
  package var confirmations = ConfirmationSettings()
  package var associations = AssociationSettings()
  package var log = LogSettings()
  /// Accept connections on the socket, with no bus between, besides those of the bus.
  package var takesDirectConnections = true

  package init() {}
}

/// What callers may ask for at once.
package nonisolated struct OpenLimits: Hashable, Sendable {
  /// Bytes of a URL.
  package var maximumURLLength = 1 << 20
  /// Opens that may wait for one application.
  package var maximumQueueLength = 1000
  /// Opens of one caller that may be under way.
  package var maximumOpensPerCaller = 5000
  /// Bytes that all opens under way may take together.
  package var maximumPendingBytes = 64 << 20

  package init() {}
}

/// How a URL is handed to a running handler.
package nonisolated struct DeliverySettings: Hashable, Sendable {
  /// Seconds a handler may take to answer a delivery.
  package var timeout = 20
  package var completion = CompletionSemantics.delivered
  package var systemSchemeForm = SystemSchemeForm.checked

  /// The caller is answered when the application was invoked, as Apple does (R4.3).
  package var completesWhenInvoked: Bool { completion == .invoked }

  package init() {}
}

/// When `OpenURL` answers (R4.3).
package nonisolated enum CompletionSemantics: String, Hashable, Sendable, CaseIterable {
  /// The application has acknowledged the URL.
  case delivered
  /// The application was invoked.
  case invoked
}

/// How the processes of applications are started and watched.
package nonisolated struct LaunchSettings: Hashable, Sendable {
  package var launcher = LauncherSetting.automatic
  /// Seconds a process may take from its start to `FinishLaunching` (R5.25).
  package var timeout = 20
  /// Processes that are launched at once; others wait.
  package var maximumLaunches = 32
  /// Processes of one application that run, and those that one caller has had started as new instances.
  package var maximumInstances = 32
  /// Seconds that an application which ran before the daemon has to check in again.
  package var checkInGrace = 5
  /// Seconds in the background after which an application is suspended; nil for never.
  package var suspendAfter: Int?

  package var supervision: SupervisionSettings {
    var settings = SupervisionSettings()
    settings.launcher = launcher
    settings.timeout = timeout
    settings.maximumLaunches = maximumLaunches
    settings.suspendAfter = suspendAfter
    return settings
  }

  package init() {}
}

/// Which applications are registered, and which of them handles a scheme.
package nonisolated struct RegistrySettings: Hashable, Sendable {
  package var collisionPolicyName = CollisionPolicy.Name.lastInstalled
  /// Used by the policy `seeded-random` alone.
  package var collisionSeed: UInt64 = 0
  /// Applications that `RegisterApplication` may add.
  package var maximumRegistrations = 10_000

  package var collisionPolicy: CollisionPolicy {
    CollisionPolicy(collisionPolicyName, seed: collisionSeed)
  }

  package init() {}
}

/// What is kept of requests.
package nonisolated struct RecordSettings: Hashable, Sendable {
  /// Requests.
  package var limit = 10_000
  /// Seconds for which they are kept.
  package var age = 7 * 24 * 3600
  /// Keep the query and fragment of URLs, too, which may hold secrets.
  package var keepsFullURLs = false

  package init() {}
}

/// Which opens the user confirms.
package nonisolated struct ConfirmationSettings: Hashable, Sendable {
  package var table = ConfirmationTable()
  /// Seconds the user has to answer.
  package var timeout = 60
  package var webOrigin = WebOrigin()

  package init() {}
}

/// How universal links are checked with the sites they lead to.
package nonisolated struct AssociationSettings: Hashable, Sendable {
  /// Ask sites for their association files (R8.5).
  package var fetches = true
  /// Associated domains with `mode=developer` count (R8.4).
  package var allowsDeveloperLinks = false

  package init() {}
}

package nonisolated struct LogSettings: Hashable, Sendable {
  package var level = JournalLevel.notice
  /// Lines in one second; more are counted, not written.
  package var rate = 100

  package init() {}
}
