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
        Returns true if an application handles the scheme of the URL and the caller declares the scheme \
        in its LSApplicationQueriesSchemes. An undeclared scheme returns false, never an error.
        """),
      .init(
        "OpenURL", [.init("url", "s"), .init("options", "a{sv}")],
        returns: [.init("receipt", "a{sv}")],
        """
        Delivers the URL to its handler, starts the handler if the handler is not running, and returns \
        when the result is known. Call OpenURL without a timeout, because the service limits the \
        duration of every step. A caller that lost the reply can repeat the call with the same option \
        'request-id'; the URL is never delivered twice.
        """),
      .init(
        "CancelOpen", [.init("cancellation_id", "s")], returns: [.init("delivered", "b")],
        """
        Fails the caller's pending OpenURL with this cancellation-id. Returns whether an application had \
        already received the URL. If another call with the same request-id waits for the open, the open \
        itself continues.
        """),
      .init(
        "PerformQuickAction",
        [.init("bundle_id", "s"), .init("type", "s"), .init("options", "a{sv}")],
        returns: [.init("receipt", "a{sv}")],
        """
        Delivers a quick action of the application, static or dynamic, shown or hidden; if several quick \
        actions have the same type, the first. A quick action is never delivered as a URL. Starts the \
        application if the application is not running.
        """),
      .init(
        "OpenApplication", [.init("bundle_id", "s"), .init("options", "a{sv}")],
        returns: [.init("receipt", "a{sv}")],
        """
        Starts the application without a URL and returns when the application has finished launching, or \
        brings the running application to the front. The options and the reply are those of OpenURL.
        """),
      .init(
        "Explain", [.init("url", "s"), .init("options", "a{sv}")],
        returns: [.init("explanation", "a{sv}")],
        """
        Returns in 'steps' what OpenURL and CanOpenURL would do for this caller, and the reasons. Starts \
        no application.
        """),
      .init(
        "WaitForExit", [.init("pid", "u"), .init("options", "a{sv}")],
        returns: [.init("end", "a{sv}")],
        """
        Returns when the process of an application, as named by a receipt, has ended; 'how' describes \
        the end, for example 'exited with code 0'. Fails with NotRunning if no application runs in that \
        process. Call WaitForExit without a timeout.
        """),
      .init(
        "History", [.init("options", "a{sv}")], returns: [.init("requests", "aa{sv}")],
        """
        Returns the results of recent requests, newest first: at most 'limit' (default 50) requests, of \
        'application', since the time 'since' in microseconds since 1970. An application receives only \
        its own requests.
        """),
      .init(
        "Monitor", [.init("options", "a{sv}")], returns: [],
        """
        Subscribes this connection to RequestEnded until the connection leaves the bus. Applications may \
        not call Monitor.
        """),
    ] + documentsOfWorkspace,
    signals: [
      .init(
        "RequestEnded", [.init("request", "a{sv}")],
        "A request has a result. Sent only to connections that called Monitor.")
    ])

  package static let launchInterface = InterfaceDescription(
    launch,
    methods: [
      .init(
        "CheckIn", [.init("options", "a{sv}")], returns: [.init("answer", "a{sv}")],
        """
        Registers a running handler: 'token' from LAUNCH_SERVICES_TOKEN, 'bundle-identifier', \
        'object-path' of its Application1. A handler that was running before the service started adds \
        'running' and its 'state', and is ready at once; 'remembers-requests' promises that the handler \
        performs no 'request' twice. Returns 'launch-options', and the URL follows in a call. A handler \
        with 'scenes' b whose property list has a scene manifest receives 'connection-options' instead, \
        which contain the delivery.
        """),
      .init(
        "FinishLaunching", [.init("options", "a{sv}")], returns: [],
        """
        Reports the results 'will' and 'did' of the launch methods; an absent key means that the method \
        is not implemented. The service then delivers the URL that started the application, unless a \
        launch method returned false.
        """),
      .init(
        "Retire", [.init("options", "a{sv}")], returns: [.init("ends", "b")],
        """
        Reports that the application of this connection has no work left. Returns true if the service \
        ends the application with SIGTERM; later requests start the next process, so no request is lost. \
        Returns false if a request is pending for the application, or if the service did not start the \
        application.
        """),
      .init(
        "DeliverDirectly", [.init("options", "a{sv}")], returns: [.init("delivers", "b")],
        """
        Requests deliveries over a direct connection. The handler calls DeliverDirectly first on the \
        direct connection, then, from the same process, on the connection that has checked in. If the \
        second call returns true, all earlier messages to the handler have arrived over the bus before \
        the reply, and all later messages use the direct connection while that connection exists.
        """),
      .init(
        "SetShortcutItems", [.init("items", "aa{sv}"), .init("options", "a{sv}")], returns: [],
        """
        Replaces the dynamic quick actions of the application of this connection; an empty array removes \
        them. Each item has 'type' s and 'title' s, and may have 'subtitle' s, 'icon' s and 'user-info' \
        a{sv}. The service keeps the items after the application has ended, until the application is \
        unregistered; CheckIn returns the items as 'shortcut-items' aa{sv}.
        """),
    ])

  package static let registryInterface = InterfaceDescription(
    registry,
    methods: [
      .init(
        "RegisterApplication", [.init("path", "s"), .init("options", "a{sv}")],
        returns: [.init("bundle_id", "s")],
        """
        Registers the bundle or property list at the absolute path, and keeps the registration after a \
        restart. The option 'define' a{ss} sets the values of build variables.
        """),
      .init(
        "UnregisterApplication", [.init("bundle_id", "s")], returns: [],
        """
        Removes the registrations of all copies with the identifier, or of the copy at an absolute path. \
        To remove an application in an application folder, delete its files.
        """),
      .init(
        "ForgetRegistrations", [.init("options", "a{sv}")], returns: [.init("paths", "as")],
        """
        Removes all registrations of RegisterApplication, or with the option 'missing' only the \
        registrations whose files no longer exist. Returns the paths of their property lists.
        """),
      .init(
        "ListApplications", returns: [.init("applications", "aa{sv}")],
        """
        Returns all registered applications. Fails with LimitExceeded if the reply would exceed 32 MiB; \
        use FindApplications with 'after' instead.
        """),
      .init(
        "FindApplications", [.init("options", "a{sv}")],
        returns: [.init("applications", "aa{sv}")],
        """
        Returns registered applications, best first, in the form of ListApplications. One option selects \
        the applications: 'url' s (the applications that can receive the URL, a hundred per call; with \
        'after' s, those after this one), 'bundle-identifier' s (all copies), 'name' s (the name of the \
        bundle, the application or the executable; the best hundred), 'path' s (of the bundle or \
        property list), or 'after' s alone (all applications in the order of identifiers, a hundred per \
        call; an empty reply after the last one).
        """),
      .init(
        "WatchApplications", [.init("options", "a{sv}")], returns: [],
        """
        Subscribes this connection to ApplicationWillLaunch, ApplicationLaunched and \
        ApplicationTerminated until the connection leaves the bus. Applications with LSUIElement or \
        LSBackgroundOnly send none of these signals.
        """),
      .init(
        "WatchReading", [.init("options", "a{sv}")], returns: [],
        """
        Subscribes this connection to ReadingProgress until the connection ends, for clients that show \
        the progress of Reload.
        """),
      .init(
        "RunningApplications", returns: [.init("applications", "aa{sv}")],
        """
        Returns every process of a registered application: 'bundle-identifier', 'state', 'pid', 'since' \
        in microseconds since 1970, the number of 'queued' requests, and the systemd 'unit' if the \
        process has one.
        """),
      .init(
        "Handlers", [.init("scheme", "s")],
        returns: [.init("bundle_ids", "as"), .init("reasons", "as")],
        """
        Returns the applications that can handle the scheme, best first, each with the reason for its \
        position.
        """
      ),
      .init(
        "DefaultHandler", [.init("scheme", "s")], returns: [.init("bundle_id", "s")],
        "Returns the application that OpenURL would use."),
      .init(
        "SetDefaultHandler", [.init("scheme", "s"), .init("bundle_id", "s")], returns: [],
        """
        Sets the user's choice for the scheme; an empty bundle_id removes the choice. Fails with \
        NotPermitted if the scheme is reserved for a system application and the iOS application lacks \
        the entitlement to replace that application.
        """),
      .init(
        "Lint", [.init("path", "s")], returns: [.init("diagnostics", "aa{sv}")],
        """
        Checks the bundle or property list at the absolute path and compares it with the registered \
        applications: which applications claim the same schemes, and which would receive the URLs. \
        Registers nothing.
        """),
      .init("Reload", [], returns: [], "Reads every application folder again."),
      .init(
        "SetDesktopExport", [.init("enabled", "b"), .init("options", "a{sv}")], returns: [],
        """
        Enables or disables the export of the registered applications to desktop applications \
        (freedesktop), after every change and after a restart. The command 'lsregister desktop' calls \
        this method.
        """),
    ] + documentsOfRegistry + linkMethods,
    signals: [
      .init(
        "Changed", [.init("generation", "t")],
        "Applications or the user's choices have changed; the registry has this generation."),
      .init(
        "ApplicationWillLaunch", [.init("application", "a{sv}")],
        """
        The application is being started, or has started by itself. Sent only to connections that called \
        WatchApplications.
        """),
      .init(
        "ApplicationLaunched", [.init("application", "a{sv}")],
        """
        The application has finished launching. Sent only to connections that called WatchApplications.
        """),
      .init(
        "ApplicationTerminated", [.init("application", "a{sv}")],
        """
        An application that had launched has ended. Sent only to connections that called \
        WatchApplications.
        """),
      .init(
        readingProgress, [.init("read", "t"), .init("found", "t")],
        """
        Reports how many of the new or changed property lists have been read, at most ten times a second \
        and at the end. Sent only to connections that called WatchReading.
        """),
    ],
    properties: [
      .init(
        "Generation", "t", "The generation of the registry, which increases with every change."),
      .init(
        "DesktopExport", "b",
        "Whether the registered applications are exported to desktop applications (freedesktop)."),
    ])

  /// What a handler exports.
  package static let applicationInterface = InterfaceDescription(
    application,
    methods: [
      .init(
        "OpenURLs", [.init("urls", "a(sa{sv})")], returns: [.init("handled", "ab")],
        """
        Delivers each URL exactly as the opener sent the URL, with 'source-application' if the opener is \
        of the same team, 'annotation', and for a document 'open-in-place'. Return whether each URL was \
        handled. Documents that were opened together arrive in one call; in a sandbox, or after a \
        check-in with that option, each document has a 'descriptor' that is open for reading.
        """),
      .init(
        "ContinueUserActivity", [.init("type", "s"), .init("activity", "a{sv}")],
        returns: [.init("handled", "b")],
        """
        Delivers a universal link: the type is NSUserActivityTypeBrowsingWeb, 'webpage-url' is the URL, \
        and the other keys are those of OpenURLs.
        """),
      .init(
        "PerformQuickAction", [.init("type", "s"), .init("options", "a{sv}")],
        returns: [.init("handled", "b")],
        "Delivers a quick action that the user chose, with its 'title', 'subtitle', 'icon' and 'user-info'."
      ),
      .init(
        "Reopen", [.init("options", "a{sv}")], returns: [],
        """
        The application was opened again without a URL or document; 'activation-token' is present if the \
        opener has one. The method is optional.
        """),
      .init(
        "StateChanged", [.init("state", "s")], returns: [],
        """
        Reports that the application is now 'inactive', 'active' or in the 'background'. The service \
        does not wait for a reply.
        """),
    ])

  package static let interfaces = [
    workspaceInterface, launchInterface, registryInterface, confirmationInterface,
  ]
}
