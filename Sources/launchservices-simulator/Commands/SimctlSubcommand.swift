extension Simctl {
  enum Subcommand: String, CaseIterable {
    case appinfo, boot, bootstatus, create, delete, erase
    case container = "get_app_container"
    case help, install, launch, list, listapps, openurl, shutdown, spawn, terminate, uninstall

    var synopsis: String {
      switch self {
      case .appinfo: "appinfo DEVICE ID"
      case .boot: "boot DEVICE"
      case .bootstatus: "bootstatus DEVICE [-b] [-d]"
      case .create: "create NAME TYPE [RUNTIME]"
      case .delete: "delete (DEVICE... | unavailable | all)"
      case .erase: "erase (DEVICE... | all)"
      case .container: "get_app_container DEVICE ID [app | data | groups | GROUP]"
      case .help: "help [SUBCOMMAND]"
      case .install: "install DEVICE PATH.app"
      case .launch:
        "launch [--console | --console-pty] [--terminate-running-process] [--stdout=FILE] [--stderr=FILE] DEVICE ID [ARGUMENT...]"
      case .list:
        "list [-j | --json] [devices | devicetypes | runtimes | pairs] [available | booted | TEXT]"
      case .listapps: "listapps DEVICE"
      case .openurl: "openurl DEVICE URL"
      case .shutdown: "shutdown (DEVICE... | all)"
      case .spawn: "spawn DEVICE (launchctl list | lsopen ... | lsregister ...)"
      case .terminate: "terminate DEVICE ID"
      case .uninstall: "uninstall DEVICE ID"
      }
    }
  }

  /// Subcommands of Apple's simctl that have nothing to do with deep links.
  static let others = [
    "addmedia", "clone", "diagnose", "get_app_container_list", "getenv", "icloud_sync", "io",
    "keychain",
    "location", "logverbose", "pair", "pair_activate", "pbcopy", "pbpaste", "pbsync", "privacy",
    "push",
    "rename", "runtime", "status_bar", "ui", "unpair", "upgrade", "install_app_data",
  ]
}
