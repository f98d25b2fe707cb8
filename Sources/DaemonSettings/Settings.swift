package import Host
package import LaunchRules

/// The values of the settings file and the command line, with one struct per component.
///
/// The initial value of a field is the default of the setting; `SettingsTable` describes each field.
package struct Settings: Hashable, Sendable {
  package var opens = OpenLimits()
  package var delivery = DeliverySettings()
  package var launch = LaunchSettings()
  package var registry = RegistrySettings()
  package var record = RecordSettings()
  package var confirmations = ConfirmationSettings()
  package var associations = AssociationSettings()
  package var devices = DeviceSettings()
  package var log = LogSettings()
  /// Whether to accept direct connections on the socket, besides bus connections.
  package var takesDirectConnections = true

  package init() {}
}

/// Limits on concurrent requests of callers.
package struct OpenLimits: Hashable, Sendable {
  /// Maximum length of a URL, in bytes.
  package var maximumURLLength = 1 << 20
  /// Maximum number of opens that wait for one application.
  package var maximumQueueLength = 1000
  /// Maximum number of pending opens of one caller.
  package var maximumOpensPerCaller = 5000
  /// Maximum size of all pending opens together, in bytes.
  package var maximumPendingBytes = 64 << 20
  /// Maximum number of opens that one remote may request within a minute.
  package var maximumRemoteOpens = 30

  package init() {}
}

/// How a URL is delivered to a running handler.
package struct DeliverySettings: Hashable, Sendable {
  /// Timeout for the answer of a handler to a delivery, in seconds.
  package var timeout = 20
  package var completion = CompletionSemantics.delivered
  package var systemSchemeForm = SystemSchemeForm.checked

  /// Whether the caller gets its answer when the application is invoked, as on Apple's systems (R4.3).
  package var completesWhenInvoked: Bool { completion == .invoked }

  package init() {}
}

/// When `OpenURL` replies (R4.3).
package enum CompletionSemantics: String, Hashable, Sendable, CaseIterable {
  /// After the application has acknowledged the URL.
  case delivered
  /// When the application is invoked.
  case invoked
}

/// How the processes of applications are started and supervised.
package struct LaunchSettings: Hashable, Sendable {
  package var launcher = LauncherSetting.automatic
  /// Timeout from the start of a process to `FinishLaunching`, in seconds (R5.25).
  package var timeout = 20
  /// Maximum number of concurrent launches; further launches wait.
  package var maximumLaunches = 32
  /// Maximum number of running processes of one application, and of extra instances started by one caller.
  package var maximumInstances = 32
  /// Seconds within which an application that ran before the daemon has to check in again.
  package var checkInGrace = 5
  /// Seconds in the background after which an application is suspended; nil for never.
  package var suspendAfter: Int?

  package init() {}
}

/// Which applications are registered, and which of them handles a scheme.
package struct RegistrySettings: Hashable, Sendable {
  package var collisionPolicyName = CollisionPolicy.Name.lastInstalled
  /// Used by the policy `seeded-random` only.
  package var collisionSeed: UInt64 = 0
  /// Maximum number of applications registered with `RegisterApplication`.
  package var maximumRegistrations = 10_000

  package var collisionPolicy: CollisionPolicy {
    CollisionPolicy(collisionPolicyName, seed: collisionSeed)
  }

  package init() {}
}

/// How long requests are kept in the record.
package struct RecordSettings: Hashable, Sendable {
  /// Maximum number of requests.
  package var limit = 10_000
  /// Maximum age of requests, in seconds.
  package var age = 7 * 24 * 3600
  /// Whether to keep the query and fragment of URLs, which may contain secrets.
  package var keepsFullURLs = false

  package init() {}
}

/// The opens that need a confirmation by the user.
package struct ConfirmationSettings: Hashable, Sendable {
  package var table = ConfirmationTable()
  /// Timeout for the answer of the user, in seconds.
  package var timeout = 60
  package var webOrigin = WebOrigin()

  package init() {}
}

/// How universal links are verified with the sites of their domains.
package struct AssociationSettings: Hashable, Sendable {
  /// Whether to fetch the association files of sites (R8.5).
  package var fetches = true
  /// Whether associated domains with `mode=developer` are used (R8.4).
  package var allowsDeveloperLinks = false

  package init() {}
}

/// The other devices of the user.
package struct DeviceSettings: Hashable, Sendable {
  /// The name or the identifier of the device that makes calls; nil for none.
  package var callsFrom: String?

  package init() {}
}

package struct LogSettings: Hashable, Sendable {
  package var level = JournalLevel.notice
  /// Maximum number of log lines per second; further lines are counted instead of written.
  package var rate = 100

  package init() {}
}
