/// The steps of an application's program.
public struct HandlerScript: Codable, Hashable, Sendable {
  /// One step of the program.
  public enum Step: Codable, Hashable, Sendable {
    /// Waits for `ScriptedHandler.go()`.
    case wait
    /// Checks in with the daemon.
    case checkIn(Proof = .token)
    /// Reports the end of the launch; nil for a launch method that is not implemented.
    case finishLaunching(will: Bool? = nil, did: Bool? = nil)
    /// Requests a well-known name from the bus.
    case own(String)
    /// Releases a well-known name.
    case release(String)
    /// Answers the delivery: whether the application handled it.
    case answer(Bool)
    /// Answers the delivery with a D-Bus error of this text.
    case refuse(String)
    /// Reports the facts about the start of the process as event `facts`.
    case report
    /// Receives deliveries on a direct connection if the daemon agrees, also from later daemons.
    case hearDirectly
    /// Ignores SIGTERM from this step on.
    case ignoreTermination
    /// Sends a signal to a process.
    case signal(Int32, to: Int32)
    /// Starts the program again, which continues with the steps after this one, and exits with code 0, like a
    /// program that puts itself into the background.
    case forkAndLeave
    /// Starts the program again, which continues with the steps after this one, and does nothing more itself.
    case fork
    /// Executes another program, which receives this identifier as its own.
    case become(String, identifier: String)
    /// Disconnects from the bus on which it checked in, but stays alive.
    case leaveBus
    /// Exits with this code.
    case exit(Int32)
    /// Ends itself with SIGKILL.
    case crash
  }

  /// The proof of identity in a check-in.
  public enum Proof: Codable, Hashable, Sendable {
    /// The token that the process was started with.
    case token
    /// Another token.
    case madeUp(String)
    /// Only its bundle identifier.
    case identifier(String)
    /// Neither a token nor an identifier.
    case nothing
  }

  /// Whether the application receives its URLs through a scene delegate.
  public var usesScenes = false
  /// Whether the program supports scenes according to its check-in.
  public var takesConnectionOptions = true
  /// The behaviour after a check-in with a new daemon.
  public enum Return: String, Codable, Hashable, Sendable {
    /// Acts on no request twice, and answers a repeated request as the first time.
    case remembering
    /// Acts on a repeated request again.
    case forgetting
  }

  /// Nil for a program that does not check in with a new daemon.
  public var comesBack: Return?
  /// Whether the program receives documents as open files.
  public var wantsDescriptors = false
  /// Whether the program reports its changes of state as events `became`.
  public var tellsStates = false
  /// The steps from the start of the process. After them it waits for deliveries.
  public var launch: [Step]
  /// The steps for each delivery: the first, the second, and so on; the last entry applies to all further
  /// deliveries. A delivery without a step `answer` or `refuse` is never answered.
  public var deliveries: [[Step]]

  /// Creates a script from the steps of the launch and of each delivery.
  public init(
    usesScenes: Bool = false, launch: [Step], deliveries: [[Step]] = [[.answer(true)]]
  ) {
    self.usesScenes = usesScenes
    self.launch = launch
    self.deliveries = deliveries
  }
}

extension HandlerScript {
  /// An application with an application delegate. Nil for a launch method that is not implemented.
  public static func delegate(
    will: Bool? = nil, did: Bool? = nil, deliveries: [Step]...
  ) -> HandlerScript {
    HandlerScript(
      launch: [.checkIn(), .finishLaunching(will: will, did: did)],
      deliveries: deliveries.isEmpty ? [[.answer(true)]] : deliveries)
  }

  /// An application with a scene delegate.
  public static func scene(will: Bool? = nil, did: Bool? = nil) -> HandlerScript {
    var script = delegate(will: will, did: did)
    script.usesScenes = true
    return script
  }

  /// A process that performs these steps instead of a complete launch.
  public static func launching(_ steps: Step...) -> HandlerScript { HandlerScript(launch: steps) }

  /// The steps for the delivery with this number, from 0.
  package func steps(forDelivery number: Int) -> [Step] {
    number < deliveries.count ? deliveries[number] : deliveries.last ?? []
  }
}
