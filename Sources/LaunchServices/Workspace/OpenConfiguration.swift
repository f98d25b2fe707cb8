internal import BusContract

extension Workspace {
  /// The options of an open: the fields of `NSWorkspace.OpenConfiguration` (R6.8).
  public struct OpenConfiguration: Hashable, Sendable {
    /// Whether the application comes to the front.
    public var activates = true
    /// Whether Launch Services may use its preferred copy of the application instead of the given one (R6.9).
    public var allowsRunningApplicationSubstitution = true
    /// Whether to start a new process although one runs (R5.33).
    public var createsNewApplicationInstance = false
    /// Whether a new process should start without showing a window.
    public var hides = false
    /// Whether the daemon may ask the user for confirmation.
    public var promptsUserIfNeeded = true
    /// Whether to open the URL only as a universal link.
    public var requiresUniversalLinks = false
    /// The arguments of a new process; ignored when the caller is an iOS application.
    public var arguments: [String] = []
    /// The variables that are added to the environment of a new process; ignored when the caller is an iOS
    /// application. Names that begin with `LD_` or `LAUNCH_SERVICES_` are ignored.
    public var environment: [String: String] = [:]
    /// Not supported: when true, opening fails.
    public var isForPrinting = false
    /// Has no effect: Launch Services keeps no recent items.
    public var addsToRecentItems = true
    /// Has no effect: windows belong to the desktop.
    public var hidesOthers = false

    /// Creates a configuration with the default values.
    public init() {}

    func options() throws(OpenError) -> OpenOptions {
      if isForPrinting { throw .invalidOption("isForPrinting is not supported") }
      var options = OpenOptions()
      options.activate = activates && !hides
      options.newInstance = createsNewApplicationInstance
      options.hidden = hides
      options.interactive = promptsUserIfNeeded
      options.universalLinksOnly = requiresUniversalLinks
      options.arguments = arguments
      options.environment = environment
      return options
    }
  }
}
