internal import BusContract

extension Workspace {
  /// How something is opened: the fields of `NSWorkspace.OpenConfiguration` (R6.8).
  public struct OpenConfiguration: Hashable, Sendable {
    /// Bring the application to the front.
    public var activates = true
    /// Use the copy of the application that Launch Services would, also when another was named (R6.9).
    public var allowsRunningApplicationSubstitution = true
    /// Start a process of its own (R5.33).
    public var createsNewApplicationInstance = false
    /// A new process is told not to show itself.
    public var hides = false
    /// The user may be asked to confirm.
    public var promptsUserIfNeeded = true
    /// Open only as a universal link.
    public var requiresUniversalLinks = false
    /// Of a new process; an application of iOS has no say in them.
    public var arguments: [String] = []
    public var environment: [String: String] = [:]
    /// Nothing is printed here: opening fails when it is set.
    public var isForPrinting = false
    /// Without effect: nobody keeps recent items here.
    public var addsToRecentItems = true
    /// Without effect: windows belong to the desktop.
    public var hidesOthers = false

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
