package import DBus

/// The interfaces of the contract, as introspection shows them and as calls are checked.
extension Contract {
  package static let workspaceInterface = InterfaceDescription(
    workspace,
    methods: [
      .init(
        "CanOpenURL", [.init("url", "s"), .init("options", "a{sv}")],
        returns: [.init("can_open", "b")],
        """
        Whether an application is there for the URL's scheme and the caller declared in its \
        LSApplicationQueriesSchemes that it may ask. An undeclared scheme is false, never an error.
        """),
      .init(
        "OpenURL", [.init("url", "s"), .init("options", "a{sv}")],
        returns: [.init("receipt", "a{sv}")],
        """
        Hands the URL to its handler, starting it when it does not run, and answers when the URL's \
        fate is known. Call it without a timeout: the service bounds every step itself. With option \
        'request-id' it may be called again when the answer was lost: it is never delivered twice.
        """),
      .init(
        "CancelOpen", [.init("cancellation_id", "s")], returns: [.init("delivered", "b")],
        """
        Fails the caller's own pending OpenURL that was given this cancellation-id. Answers whether an \
        application had been given it already. While another call with the same request-id waits for it, the open \
        itself goes on.
        """),
      .init(
        "PerformQuickAction",
        [.init("bundle_id", "s"), .init("type", "s"), .init("options", "a{sv}")],
        returns: [.init("receipt", "a{sv}")],
        """
        Delivers a quick action that the application has, static or dynamic, shown or not; of \
        several with one type the first. It is never a URL. Starts the application when it does not \
        run.
        """),
      .init(
        "OpenApplication", [.init("bundle_id", "s"), .init("options", "a{sv}")],
        returns: [.init("receipt", "a{sv}")],
        """
        Starts the application without a URL and answers when it has finished launching, or brings the \
        one that runs to the front. Options and answer are those of OpenURL.
        """),
      .init(
        "Explain", [.init("url", "s"), .init("options", "a{sv}")],
        returns: [.init("explanation", "a{sv}")],
        """
        What OpenURL and CanOpenURL would do for this caller and why, step by step under 'steps'. \
        Nothing is launched.
        """),
      .init(
        "WaitForExit", [.init("pid", "u"), .init("options", "a{sv}")],
        returns: [.init("end", "a{sv}")],
        """
        Answers when the application's process that a receipt named has ended, with 'how', such as \
        'exited with code 0'. Fails with NotRunning when no application runs in that process. Call \
        it without a timeout.
        """),
      .init(
        "History", [.init("options", "a{sv}")], returns: [.init("requests", "aa{sv}")],
        """
        What became of recent requests, newest first: at most 'limit' (50), for 'application', \
        'since' a time in microseconds since 1970. An application sees its own requests only.
        """),
      .init(
        "Monitor", [.init("options", "a{sv}")], returns: [],
        """
        From now on this connection alone is told RequestEnded, until it leaves the bus. Not for \
        applications.
        """),
    ] + documentsOfWorkspace,
    signals: [
      .init(
        "RequestEnded", [.init("request", "a{sv}")],
        "A request has its fate. Sent only to those that called Monitor.")
    ])

  package static let launchInterface = InterfaceDescription(
    launch,
    methods: [
      .init(
        "CheckIn", [.init("options", "a{sv}")], returns: [.init("answer", "a{sv}")],
        """
        A handler says that it is there: 'token' from LAUNCH_SERVICES_TOKEN, 'bundle-identifier', \
        'object-path' of its Application1. One that was launched before and comes back to a new \
        service adds 'running' and its 'state', and is ready at once; 'remembers-requests' says \
        that it acts on no 'request' twice. Answers 'launch-options', and the URL follows in a call; or, \
        to a handler with 'scenes' b whose property list has a scene manifest, 'connection-options', \
        which are the delivery.
        """),
      .init(
        "FinishLaunching", [.init("options", "a{sv}")], returns: [],
        """
        The launch methods have returned 'will' and 'did'; a key that is absent means that the \
        method is not implemented. What launched the application is delivered now unless one \
        returned false.
        """),
      .init(
        "Retire", [.init("options", "a{sv}")], returns: [.init("ends", "b")],
        """
        The application that checked in on this connection has nothing to do any more. True when it is \
        ended now, with SIGTERM; what comes for it then starts the next process, so nothing is lost. \
        False when something is on its way to it, or when the service did not start it.
        """),
      .init(
        "DeliverDirectly", [.init("options", "a{sv}")], returns: [.init("delivers", "b")],
        """
        For a handler that wants no bus between: called on a direct connection, and then, on the \
        connection that has checked in, by the same process. When the second answer is true, all that \
        was sent to the handler over the bus has come before it, and all that follows comes on the \
        direct connection while that lasts.
        """),
      .init(
        "SetShortcutItems", [.init("items", "aa{sv}"), .init("options", "a{sv}")], returns: [],
        """
        The dynamic quick actions of the application that checked in on this connection, instead of \
        those it set before; an empty array removes them. Each has 'type' s and 'title' s, and may \
        have 'subtitle' s, 'icon' s and 'user-info' a{sv}. They are kept after the application has \
        ended and until it is unregistered; CheckIn answers them as 'shortcut-items' aa{sv}.
        """),
    ])

  package static let registryInterface = InterfaceDescription(
    registry,
    methods: [
      .init(
        "RegisterApplication", [.init("path", "s"), .init("options", "a{sv}")],
        returns: [.init("bundle_id", "s")],
        """
        Registers the bundle or property list at the absolute path, also after a restart. Option \
        'define' a{ss} gives build variables their values.
        """),
      .init(
        "UnregisterApplication", [.init("bundle_id", "s")], returns: [],
        """
        Takes back RegisterApplication, of all copies with the identifier, or of the one at an absolute \
        path. What lies in an application folder must be removed there.
        """),
      .init(
        "ForgetRegistrations", [.init("options", "a{sv}")], returns: [.init("paths", "as")],
        """
        Takes back every RegisterApplication, or with option 'missing' those whose files are gone. \
        Answers their property lists.
        """),
      .init(
        "ListApplications", returns: [.init("applications", "aa{sv}")],
        """
        Every registered application. LimitExceeded when that takes more than 32 MiB: ask \
        FindApplications with 'after'.
        """),
      .init(
        "FindApplications", [.init("options", "a{sv}")],
        returns: [.init("applications", "aa{sv}")],
        """
        Registered applications, best first, as ListApplications describes them. One option says \
        which: 'url' s (those that may get it, a hundred at a time; with 'after' s, those behind \
        this one), 'bundle-identifier' s (all copies), 'name' s (of the bundle, the application or its \
        executable; the best hundred), 'path' s (of the bundle or property list), or 'after' s \
        alone (all, in the order of their identifiers, a hundred after this one at a time; none \
        after the last).
        """),
      .init(
        "WatchApplications", [.init("options", "a{sv}")], returns: [],
        """
        From now on this connection alone is told ApplicationWillLaunch, ApplicationLaunched and \
        ApplicationTerminated, until it leaves the bus. Not of applications with LSUIElement or \
        LSBackgroundOnly.
        """),
      .init(
        "WatchReading", [.init("options", "a{sv}")], returns: [],
        """
        From now on this connection alone is told ReadingProgress, until it ends: for whom Reload takes \
        long.
        """),
      .init(
        "RunningApplications", returns: [.init("applications", "aa{sv}")],
        """
        Every process of a registered application: 'bundle-identifier', 'state', 'pid', 'since' in \
        microseconds since 1970, how many requests are 'queued' for it, and its 'unit' of systemd, \
        where it has one.
        """),
      .init(
        "Handlers", [.init("scheme", "s")],
        returns: [.init("bundle_ids", "as"), .init("reasons", "as")],
        "The applications that may handle the scheme, best first, each with the reason of its place."
      ),
      .init(
        "DefaultHandler", [.init("scheme", "s")], returns: [.init("bundle_id", "s")],
        "The application that OpenURL would use."),
      .init(
        "SetDefaultHandler", [.init("scheme", "s"), .init("bundle_id", "s")], returns: [],
        """
        The user's choice for the scheme; an empty bundle_id takes it back. Fails with NotPermitted \
        when the scheme is reserved for a system application and the iOS application lacks the \
        entitlement to replace it.
        """),
      .init(
        "Lint", [.init("path", "s")], returns: [.init("diagnostics", "aa{sv}")],
        """
        What is odd in the bundle or property list at the absolute path, and what it would mean beside all \
        that is registered: who else claims a scheme, and who would get its URLs. Registers nothing.
        """),
      .init("Reload", [], returns: [], "Reads every application folder again."),
      .init(
        "SetDesktopExport", [.init("enabled", "b"), .init("options", "a{sv}")], returns: [],
        """
        From now on, and after a restart, the freedesktop world is told of the registered \
        applications whenever they change, or no longer. The command 'lsregister desktop' calls it.
        """),
    ] + documentsOfRegistry + linkMethods,
    signals: [
      .init(
        "Changed", [.init("generation", "t")],
        "Applications or the user's choices changed; the registry has this generation now."),
      .init(
        "ApplicationWillLaunch", [.init("application", "a{sv}")],
        "It is started, or has come by itself. Sent only to those that called WatchApplications."),
      .init(
        "ApplicationLaunched", [.init("application", "a{sv}")],
        "It has finished launching. Sent only to those that called WatchApplications."),
      .init(
        "ApplicationTerminated", [.init("application", "a{sv}")],
        "One that had launched has ended. Sent only to those that called WatchApplications."),
      .init(
        readingProgress, [.init("read", "t"), .init("found", "t")],
        """
        Very many property lists are being read: so many of those found that are new or have changed. At \
        most ten times a second, and when all are. Sent only to those that called WatchReading.
        """),
    ],
    properties: [
      .init("Generation", "t", "Grows with every change of the registry."),
      .init("DesktopExport", "b", "Whether the freedesktop world is told of the applications."),
    ])

  /// What a handler exports.
  package static let applicationInterface = InterfaceDescription(
    application,
    methods: [
      .init(
        "OpenURLs", [.init("urls", "a(sa{sv})")], returns: [.init("handled", "ab")],
        """
        Each URL exactly as the opener gave it, with 'source-application' when the opener is of \
        the same team, 'annotation', and of a document 'open-in-place'. Answer whether each was handled. \
        Documents that were opened together come in one call; in a sandbox, or after a check-in that asked \
        for it, each with a 'descriptor' that is open for reading.
        """),
      .init(
        "ContinueUserActivity", [.init("type", "s"), .init("activity", "a{sv}")],
        returns: [.init("handled", "b")],
        """
        A universal link: the type is NSUserActivityTypeBrowsingWeb, 'webpage-url' the URL; the other \
        keys are those of OpenURLs.
        """),
      .init(
        "PerformQuickAction", [.init("type", "s"), .init("options", "a{sv}")],
        returns: [.init("handled", "b")],
        "A quick action was chosen, with its 'title', 'subtitle', 'icon' and 'user-info'."),
      .init(
        "Reopen", [.init("options", "a{sv}")], returns: [],
        """
        The application was opened once more, without anything to open; with 'activation-token' when \
        the opener had one. An application need not have this method.
        """),
      .init(
        "StateChanged", [.init("state", "s")], returns: [],
        """
        The application is 'inactive', 'active' or in the 'background' now. Called without waiting \
        for an answer.
        """),
    ])

  package static let interfaces = [
    workspaceInterface, launchInterface, registryInterface, confirmationInterface,
  ]
}
