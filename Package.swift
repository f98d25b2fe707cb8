// swift-tools-version: 6.2
import PackageDescription

/// Every Swift target is held to the same language: Swift 6, warnings are errors, and each line that
/// touches raw memory is marked `unsafe`.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .treatAllWarnings(as: .error),
  .strictMemorySafety(),
]

/// For targets whose whole work happens in one isolation domain.
let onMainActor = strict + [.defaultIsolation(MainActor.self)]

let package = Package(
  name: "launch-services",
  products: [
    .library(name: "LaunchServices", targets: ["LaunchServices"]),
    .library(name: "LaunchServicesTesting", targets: ["LaunchServicesTesting"]),
    .executable(name: "launchservicesd", targets: ["launchservicesd"]),
    .executable(name: "lsopen", targets: ["lsopen"]),
    .executable(name: "lsregister", targets: ["lsregister"]),
    .executable(name: "launchservices-desktop", targets: ["launchservices-desktop"]),
    .executable(name: "launchservices-processes", targets: ["launchservices-processes"]),
    .executable(name: "launchservices-links", targets: ["launchservices-links"]),
    .executable(name: "lstest", targets: ["lstest"]),
    .executable(name: "scripted-handler", targets: ["scripted-handler"]),
    .executable(name: "launchservices-simulator", targets: ["launchservices-simulator"]),
  ],
  targets: [
    // Numbers that look random, for tests.
    .target(name: "SeededRandom", path: "Tests/SeededRandom", swiftSettings: strict),

    // The rules: events in, effects out. Imports nothing.
    .target(name: "LaunchRules", swiftSettings: strict),
    .testTarget(
      name: "LaunchRulesTests", dependencies: ["LaunchRules", "SeededRandom"],
      swiftSettings: strict),

    // Results of checks, printed for people, TAP, JUnit and GitHub. Imports nothing.
    .target(name: "Reports", swiftSettings: strict),
    .testTarget(name: "ReportsTests", dependencies: ["Reports"], swiftSettings: strict),

    // The lines of keys in JSON and XML property lists, for messages. Imports nothing.
    .target(name: "KeyLines", swiftSettings: strict),
    .testTarget(name: "KeyLinesTests", dependencies: ["KeyLines"], swiftSettings: strict),

    // What the URLs of mailto, tel, facetime, sms, Maps, iTunes and YouTube say.
    .target(name: "SystemSchemes", dependencies: ["LaunchRules"], swiftSettings: strict),
    .testTarget(
      name: "SystemSchemesTests",
      dependencies: ["SystemSchemes", "ApplicationFolders", "LaunchRules"], swiftSettings: strict),

    // Info.plist bytes to declarations, with a diagnostic for each mistake.
    .target(name: "PropertyLists", dependencies: ["LaunchRules"], swiftSettings: strict),
    .testTarget(
      name: "PropertyListsTests", dependencies: ["PropertyLists", "LaunchRules", "SeededRandom"],
      swiftSettings: strict),

    // Build variables from .xcconfig files and Xcode projects. Reads files only through a closure, and runs nothing.
    .target(
      name: "BuildSettings", dependencies: ["LaunchRules", "PropertyLists"], swiftSettings: strict),
    .testTarget(
      name: "BuildSettingsTests", dependencies: ["BuildSettings", "LaunchRules", "PropertyLists"],
      swiftSettings: strict),

    // apple-app-site-association bytes to rules, with a diagnostic for each mistake.
    .target(name: "AssociationFiles", dependencies: ["LaunchRules"], swiftSettings: strict),
    .testTarget(
      name: "AssociationFilesTests", dependencies: ["AssociationFiles", "LaunchRules"],
      swiftSettings: strict),

    // Descriptors to wait for, and the loop that waits.
    .systemLibrary(name: "CEvents"),
    .target(name: "Events", dependencies: ["CEvents"], swiftSettings: strict),
    .testTarget(name: "EventsTests", dependencies: ["Events"], swiftSettings: strict),

    // libdbus-1, and the one place that makes it safe.
    .systemLibrary(name: "CDBus", pkgConfig: "dbus-1", providers: [.apt(["libdbus-1-dev"])]),
    .target(name: "DBus", dependencies: ["CDBus"], swiftSettings: strict),
    // Connections that the main queue serves. Not in the commands: Swift's concurrency takes long to start.
    .target(
      name: "DBusMainLoop", dependencies: ["CDBus", "DBus", "Events"], swiftSettings: strict),
    .testTarget(
      name: "DBusTests", dependencies: ["DBus", "DBusMainLoop", "LaunchServicesTesting"],
      swiftSettings: strict),

    // The D-Bus contract: names, introspection XML, typed calls, errors both ways.
    .target(name: "BusContract", dependencies: ["DBus", "LaunchRules"], swiftSettings: strict),
    .testTarget(
      name: "BusContractTests", dependencies: ["BusContract", "DBus", "LaunchRules"],
      swiftSettings: strict),

    // The command lines: parse, one call, print. Free of Foundation, because they must start fast.
    .target(
      name: "Commands", dependencies: ["BusContract", "DBus", "LaunchRules"], swiftSettings: strict),
    // Hosts of URLs that are not ASCII.
    .systemLibrary(name: "CIDN2", pkgConfig: "libidn2", providers: [.apt(["libidn2-dev"])]),
    .target(name: "InternationalHosts", dependencies: ["CIDN2"], swiftSettings: strict),
    .executableTarget(
      name: "lsopen",
      dependencies: ["InternationalHosts", "Commands", "BusContract", "DBus", "LaunchRules"],
      swiftSettings: strict),
    .executableTarget(
      name: "lsregister",
      dependencies: [
        "ApplicationFolders", "AssociationFiles", "BuildSettings", "BusContract", "Commands",
        "DBus", "Host", "InternationalHosts", "KeyLines", "LaunchRules", "PropertyLists", "Reports",
        "StubApplications",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "CommandsTests",
      dependencies: [
        "Commands", "InternationalHosts", "lsopen", "lsregister", "BuildSettings", "BusContract",
        "DBus", "LaunchRules", "SeededRandom", "StubApplications", "TemporaryFolders",
      ],
      swiftSettings: strict),

    // A folder for each test.
    .target(
      name: "TemporaryFolders", path: "Tests/TemporaryFolders", swiftSettings: strict),

    // What we ask of Linux: processes, signals, directories, credentials, the journal.
    .target(name: "CHost"),
    .target(
      name: "Host", dependencies: ["CHost", "Events", "LaunchRules"], swiftSettings: strict),
    .testTarget(
      name: "HostTests", dependencies: ["CHost", "Host", "LaunchRules", "TemporaryFolders"],
      swiftSettings: strict),

    // The Swift library for applications, in the shapes of UIKit.
    .target(
      name: "LaunchServices",
      dependencies: ["BusContract", "DBus", "DBusMainLoop", "Events", "LaunchRules"],
      swiftSettings: strict),
    .testTarget(
      name: "LaunchServicesTests",
      dependencies: [
        "LaunchServices", "BusContract", "DBus", "DBusMainLoop", "LaunchRules",
        "LaunchServicesTesting",
        "launchservicesd",
      ],
      swiftSettings: strict),

    // Applications to copy from. `photos` is the handler of README.md.
    .executableTarget(
      name: "photos", dependencies: ["LaunchServices"], path: "Examples/photos",
      exclude: ["photos.plist"], swiftSettings: strict),
    .executableTarget(
      name: "photo-album", dependencies: ["LaunchServices"], path: "Examples/photo-album",
      exclude: ["photo-album.plist"], swiftSettings: strict),
    .executableTarget(
      name: "iapp", dependencies: ["LaunchServices"], path: "Examples/iapp",
      exclude: ["iapp.plist"], swiftSettings: strict),
    .executableTarget(
      name: "confirmation-agent", dependencies: ["LaunchServices"],
      path: "Examples/confirmation-agent", exclude: ["agent.py"], swiftSettings: strict),
    .testTarget(
      name: "ExamplesTests", dependencies: ["photo-album", "iapp", "LaunchServices"],
      swiftSettings: strict),

    // Applications on disk: which property lists there are, and what each says.
    .target(
      name: "ApplicationFolders",
      dependencies: ["BuildSettings", "Host", "LaunchRules", "PropertyLists"],
      swiftSettings: strict),
    .testTarget(
      name: "ApplicationFoldersTests",
      dependencies: ["ApplicationFolders", "LaunchRules", "TemporaryFolders"],
      swiftSettings: strict),

    // Application folders to a registry that is kept up to date: watches, reads, caches. Knows no D-Bus.
    .target(
      name: "RegistryLoading",
      dependencies: ["ApplicationFolders", "Host", "LaunchRules", "PropertyLists"],
      swiftSettings: onMainActor),
    .testTarget(
      name: "RegistryLoadingTests",
      dependencies: [
        "RegistryLoading", "ApplicationFolders", "Host", "LaunchRules", "SeededRandom",
      ],
      swiftSettings: onMainActor),

    // The processes of applications: starts, watches, suspends and ends them. Its only D-Bus calls are those of systemd.
    .target(
      name: "ProcessSupervision",
      dependencies: ["BusContract", "DBus", "DBusMainLoop", "Host", "LaunchRules"],
      swiftSettings: onMainActor),
    .testTarget(
      name: "ProcessSupervisionTests",
      dependencies: [
        "ProcessSupervision", "DBus", "DBusMainLoop", "Host", "LaunchRules", "ScriptedProcesses",
      ],
      swiftSettings: onMainActor),

    // Processes whose events a test decides.
    .target(
      name: "ScriptedProcesses", dependencies: ["Host", "LaunchRules", "ProcessSupervision"],
      path: "Tests/ScriptedProcesses", swiftSettings: onMainActor),

    // Durable records: SQLite, and the one place that makes it safe. Only the daemon has it.
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .target(
      name: "Records", dependencies: ["CSQLite", "Events", "LaunchRules"], swiftSettings: strict),
    .testTarget(
      name: "RecordsTests", dependencies: ["LaunchRules", "Records"], swiftSettings: strict),

    // Who calls: what the bus, the kernel and the service manager say of the process behind a connection.
    .target(
      name: "CallerIdentity",
      dependencies: ["DBus", "DBusMainLoop", "Host", "LaunchRules", "ProcessSupervision"],
      swiftSettings: onMainActor),

    .testTarget(
      name: "CallerIdentityTests",
      dependencies: [
        "CallerIdentity", "DBus", "DBusMainLoop", "Host", "LaunchRules", "ProcessSupervision",
        "ScriptedProcesses",
      ],
      swiftSettings: onMainActor),

    // The settings of the daemon: keys, types, ranges and defaults, and the settings file.
    .target(
      name: "DaemonSettings", dependencies: ["Host", "LaunchRules", "PropertyLists"],
      swiftSettings: strict),

    // The daemon: carries out what the rules decide.
    .target(
      name: "LaunchServicesDaemon",
      dependencies: [
        "ApplicationFolders", "AssociationFiles", "BusContract", "CallerIdentity", "DBus",
        "DBusMainLoop", "DaemonSettings", "Events", "Host", "LaunchRules", "ProcessSupervision",
        "PropertyLists", "Records", "RegistryLoading", "SystemSchemes",
      ],
      swiftSettings: onMainActor),
    .testTarget(
      name: "LaunchServicesDaemonTests",
      dependencies: [
        "ApplicationFolders", "BusContract", "CallerIdentity", "Commands", "DBus", "DBusMainLoop",
        "DaemonSettings", "Events", "Host", "LaunchRules", "LaunchServicesDaemon",
        "ProcessSupervision", "Records", "RegistryLoading", "ScriptedProcesses", "SeededRandom",
        "launchservicesd",
      ],
      swiftSettings: strict),

    // Options and settings file of the daemon, and its main loop.
    .executableTarget(
      name: "launchservicesd",
      dependencies: [
        "ApplicationFolders", "BusContract", "Commands", "DBus", "DBusMainLoop", "DaemonSettings",
        "Events", "Host", "LaunchRules", "LaunchServicesDaemon", "ProcessSupervision",
        "PropertyLists", "RegistryLoading",
      ],
      swiftSettings: onMainActor),

    // Reads facts about processes for a confined daemon, which may not read them.
    .executableTarget(
      name: "launchservices-processes", dependencies: ["Events", "Host", "LaunchRules"],
      swiftSettings: onMainActor),

    // libcurl, and the program that asks sites for their association files: the only one that speaks to
    // the network.
    .systemLibrary(
      name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .executableTarget(
      name: "launchservices-links",
      dependencies: [
        "AssociationFiles", "CCurl", "Commands", "DBus", "Host", "LaunchRules", "Reports",
      ],
      swiftSettings: strict),

    // Entries and defaults of the freedesktop world: GIO, and the one place that makes it safe.
    // gio-2.0.pc has the flag -pthread, against which SwiftPM warns in each build; gobject-2.0.pc has the folders alone.
    .systemLibrary(name: "CGIO", pkgConfig: "gobject-2.0", providers: [.apt(["libglib2.0-dev"])]),
    .target(name: "DesktopEntries", dependencies: ["CGIO", "LaunchRules"], swiftSettings: strict),
    .testTarget(
      name: "DesktopEntriesTests",
      dependencies: ["DesktopEntries", "LaunchRules", "SeededRandom"],
      swiftSettings: strict),

    // The bridge to the freedesktop world, and the only process that has GIO.
    .executableTarget(
      name: "launchservices-desktop",
      dependencies: [
        "ApplicationFolders", "BusContract", "Commands", "DBus", "DBusMainLoop", "DesktopEntries",
        "Events", "Host",
        "LaunchRules", "PropertyLists",
      ],
      swiftSettings: onMainActor),

    .testTarget(
      name: "DesktopProgramTests",
      dependencies: [
        "Commands", "DesktopEntries", "Host", "LaunchRules", "TemporaryFolders",
        "launchservices-desktop",
      ],
      swiftSettings: onMainActor),

    // Applications whose program is a stand-in: their property lists, and the log of the stand-in.
    .target(name: "StubApplications", swiftSettings: strict),
    .testTarget(
      name: "StubApplicationsTests", dependencies: ["StubApplications"], swiftSettings: strict),

    // The test kit: a bus, folders, a daemon and applications of a test's own.
    .target(
      name: "LaunchServicesTesting",
      dependencies: [
        "BusContract", "DBus", "DBusMainLoop", "Events", "Host", "LaunchRules", "StubApplications",
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "scripted-handler",
      dependencies: [
        "BusContract", "Commands", "DBus", "DBusMainLoop", "Events", "Host", "LaunchServices",
        "LaunchServicesTesting", "StubApplications",
      ],
      swiftSettings: onMainActor),
    .testTarget(
      name: "IntegrationTests",
      dependencies: [
        "BusContract", "DBus", "DBusMainLoop", "Host", "LaunchRules", "LaunchServicesTesting",
        "Records", "SeededRandom", "confirmation-agent", "iapp", "launchservices-desktop",
        "launchservices-links", "launchservices-processes", "launchservicesd", "lsopen",
        "lsregister", "lstest", "photo-album", "photos", "scripted-handler",
      ],
      exclude: ["Fixtures"], swiftSettings: strict),

    // libjansson, which says where a JSON text is wrong. Only lstest has it.
    .systemLibrary(
      name: "CJansson", pkgConfig: "jansson", providers: [.apt(["libjansson-dev"])]),

    // Tests deep links by scenarios: a world with a daemon and stand-ins for applications.
    .executableTarget(
      name: "lstest",
      dependencies: [
        "ApplicationFolders", "AssociationFiles", "BuildSettings", "BusContract", "CJansson",
        "Commands", "DBus", "DBusMainLoop", "DaemonSettings", "Events", "Host", "KeyLines",
        "LaunchRules", "LaunchServicesTesting", "PropertyLists", "Reports", "StubApplications",
      ],
      swiftSettings: onMainActor),
    .testTarget(
      name: "lstestTests",
      dependencies: [
        "Commands", "KeyLines", "LaunchRules", "Reports", "StubApplications", "lstest",
      ],
      swiftSettings: onMainActor),

    // `xcrun simctl` and `adb`, as scripts call them.
    .executableTarget(
      name: "launchservices-simulator",
      dependencies: [
        "ApplicationFolders", "CHost", "Commands", "Host", "LaunchServicesTesting",
        "StubApplications",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "SimulatorTests",
      dependencies: [
        "Host", "LaunchServicesTesting", "launchservices-simulator", "launchservicesd", "lsopen",
        "lsregister", "lstest", "photos", "scripted-handler",
      ],
      swiftSettings: strict),

    // What a call costs, beside a baseline of the same run.
    .executableTarget(
      name: "lsbench", dependencies: ["BusContract", "Commands", "DBus", "Host"],
      path: "Tests/Benchmarks", exclude: ["RESULTS.md"], swiftSettings: strict),
  ]
)

// The fuzzer, only for Tests/Fuzz/run: it is linked with an engine that has a `main` of its own.
if Context.environment["LAUNCH_SERVICES_FUZZ"] != nil {
  package.targets += [
    .systemLibrary(name: "CFuzzer", path: "Tests/Fuzz/Engine"),
    .executableTarget(
      name: "fuzz",
      dependencies: [
        "BusContract", "CFuzzer", "DBus", "LaunchRules", "PropertyLists", "SystemSchemes",
      ],
      path: "Tests/Fuzz/Sources", swiftSettings: strict),
  ]
}
