/// What the program of an application does, step by step.
public struct HandlerScript: Codable, Hashable, Sendable {
  /// One thing that the program does.
  public enum Step: Codable, Hashable, Sendable {
    /// Waits for `ScriptedHandler.go()`.
    case wait
    /// Checks in with the daemon.
    case checkIn(Proof = .token)
    /// Nil for a launch method that is not implemented.
    case finishLaunching(will: Bool? = nil, did: Bool? = nil)
    /// Asks the bus for a well-known name.
    case own(String)
    /// Gives a well-known name back to the bus.
    case release(String)
    /// Answers the delivery: handled or not.
    case answer(Bool)
    /// Answers the delivery with a D-Bus error of this text.
    case refuse(String)
    /// Tells what the process was started with, as event `facts`.
    case report
    /// Hears from the daemon with no bus between from now on where it lets it, also from one that comes later.
    case hearDirectly
    /// From now on SIGTERM does nothing.
    case ignoreTermination
    /// Sends a signal to a process.
    case signal(Int32, to: Int32)
    /// Starts the program again, which goes on with the steps after this one, and exits with code 0:
    /// what a program does that puts itself into the background.
    case forkAndLeave
    /// Starts the program again, which goes on with the steps after this one, and does nothing more.
    case fork
    /// Becomes another program, which is given this identifier as its own.
    case become(String, identifier: String)
    /// Leaves the bus on which it checked in, but stays alive.
    case leaveBus
    /// Exits with this code.
    case exit(Int32)
    /// Ends itself with SIGKILL.
    case crash
  }

  /// What a check-in shows.
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

  /// The application gets its URLs through a scene delegate.
  public var usesScenes = false
  /// Its program says at its check-in that it knows scenes.
  public var takesConnectionOptions = true
  /// Whether it checks in again with a new daemon, and what it knows then.
  public enum Return: String, Codable, Hashable, Sendable {
    /// It acts on no request twice, and answers a repeated one as it did the first time.
    case remembering
    /// It would act on a repeated request once more.
    case forgetting
  }

  /// Nil for a program that does not notice that there is another daemon.
  public var comesBack: Return?
  /// It asks for documents as open files.
  public var wantsDescriptors = false
  /// It tells its changes of state, as event `became`.
  public var tellsStates = false
  /// From the start of the process on. When these are done, it waits for deliveries.
  public var launch: [Step]
  /// The steps for each delivery: the first, the second, and so on; the last stands for all that
  /// follow. A delivery whose steps hold neither `answer` nor `refuse` is never answered.
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

  /// A process that does these steps instead of launching as it should.
  public static func launching(_ steps: Step...) -> HandlerScript { HandlerScript(launch: steps) }

  /// The steps for the delivery with this number, from 0.
  package func steps(forDelivery number: Int) -> [Step] {
    number < deliveries.count ? deliveries[number] : deliveries.last ?? []
  }
}
