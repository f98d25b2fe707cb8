package import DBus
internal import LaunchRules

/// The interfaces of the contract, as introspection shows them and as calls are checked.
extension Contract {
  package static let workspaceInterface = InterfaceDescription(
    workspace, "Opens URLs, documents and applications, and answers questions about opens.",
    methods: [
      .init(
        "CanOpenURL",
        [
          .init("url", "s", "The URL."),
          .init("options", "a{sv}", "The options.", QueryOptions.canOpenDescription),
        ],
        returns: [
          .init(
            "can_open", "b",
            "Whether an application can open the URL, as far as the caller may know.")
        ],
        """
        Returns true if an application handles the scheme of the URL and the caller may ask about the \
        scheme. An iOS application may ask about the schemes in its LSApplicationQueriesSchemes, about \
        http and https, for which the answer is always true, and about schemes of system applications. \
        A scheme that the caller may not ask about returns false, never an error.
        """),
      .init(
        "OpenURL",
        [
          .init("url", "s", "The URL."),
          .init("options", "a{sv}", "The options.", OpenOptions.description),
        ],
        returns: [.receipt],
        """
        Delivers the URL to its handler, starts the handler if the handler is not running, and returns \
        when the result is known. Call OpenURL without a timeout, because the service limits the \
        duration of every step. A caller that lost the reply can repeat the call with the same option \
        `request-id`; the URL is never delivered twice.
        """),
      .init(
        "CancelOpen",
        [.init("cancellation_id", "s", "The `cancellation-id` of the open.")],
        returns: [
          .init("delivered", "b", "Whether an application had already received the URL.")
        ],
        """
        Fails the caller's pending OpenURL with this cancellation-id; the error is Cancelled. If another call with the same request-id waits for the open, the open \
        itself continues.
        """),
      requestFateMethod,
      .init(
        "PerformQuickAction",
        [
          .init("bundle_id", "s", "The identifier of the application."),
          .init("type", "s", "The type of the quick action."),
          .init("options", "a{sv}", "The options.", OpenOptions.description),
        ],
        returns: [.receipt],
        """
        Delivers a quick action of the application, static or dynamic, shown or hidden; if several quick \
        actions have the same type, the first. A quick action is never delivered as a URL. Starts the \
        application if the application is not running. A type that the application does not have fails \
        with InvalidArgs, and the text names the types that the application has. Call \
        PerformQuickAction without a timeout.
        """),
      .init(
        "OpenApplication",
        [
          .init("bundle_id", "s", "The identifier of the application."),
          .init("options", "a{sv}", "The options.", OpenOptions.description),
        ],
        returns: [.receipt],
        """
        Starts the application without a URL and returns when the application has finished launching, or \
        brings the running application to the front. An iOS application may open only itself. Call \
        OpenApplication without a timeout.
        """),
      .init(
        "Explain",
        [
          .init("url", "s", "The URL."),
          .init("options", "a{sv}", "The options.", QueryOptions.explainDescription),
        ],
        returns: [.init("explanation", "a{sv}", "The explanation.", explanation)],
        """
        Returns in `steps` what OpenURL and CanOpenURL would do for this caller, and the reasons. Starts \
        no application.
        """),
      .init(
        "WaitForExit", [.init("pid", "u", "The process, as a receipt names it."), .noOptions],
        returns: [.init("end", "a{sv}", "The end of the process.", exit)],
        """
        Returns when the process of an application has ended. Fails with NotRunning if no application runs in that \
        process. Call WaitForExit without a timeout.
        """),
      .init(
        "IdentifyProcess",
        [
          .init("pid", "u", "The process."),
          .init(
            "start_time", "t",
            "Its start time in clock ticks since boot (field 22 of `/proc/PID/stat`): process numbers are reused."
          ),
          .noOptions,
        ],
        returns: [.init("identity", "a{sv}", "What is known about the process.", processIdentity)],
        """
        Says to which application a process of this user belongs, by the rules that identify callers. Use it \
        before private data is sent to the owner of a bus name: any process may own any free name. Fails with \
        AccessDenied if the process has ended or cannot be identified. iOS applications may not call \
        IdentifyProcess.
        """),
      .init(
        "History",
        [.init("options", "a{sv}", "Which requests.", HistoryOptions.description)],
        returns: [.init("requests", "aa{sv}", "The requests.", requestRecord)],
        """
        Returns the results of recent requests, newest first, with requests that were refused before an \
        application was chosen, except refusals for a limit. A request without a `request-id` is \
        written within 0.1 seconds; a service that is killed may lose such a request. An application \
        receives only its own requests.
        """),
      .init(
        "Monitor", [.noOptions], returns: [],
        """
        Subscribes this connection to RequestEnded until the connection leaves the bus. Applications may \
        not call Monitor.
        """),
    ], documentsOfWorkspace, devicesOfWorkspace,
    signals: [
      .init(
        "RequestEnded", [.init("request", "a{sv}", "The request.", requestRecord)],
        "A request has a result. Sent only to connections that called Monitor.")
    ])

  package static let launchInterface = InterfaceDescription(
    launch, "The calls of handlers: applications that run, and receive URLs.",
    methods: [
      .init(
        "CheckIn",
        [.init("options", "a{sv}", "The options.", CheckInOptions.description)],
        returns: [.init("answer", "a{sv}", "What the handler was started for.", checkInAnswer)],
        """
        Registers a running handler, which passes the `token` from LAUNCH_SERVICES_TOKEN. Without a \
        token, the service believes the executable of a registered application, or the owner of the \
        bus name of the application, unless the caller is known as another application. A handler that \
        was running before the service started passes `running` and its `state`. The reply has \
        `launch-options`, and the URL follows in a call; or it has `connection-options` for a handler \
        with scenes, which contain the delivery.
        """),
      .init(
        "FinishLaunching",
        [.init("options", "a{sv}", "The results of the launch methods.", launchAnswers)],
        returns: [],
        """
        Reports the results of the launch methods. The service then delivers the URL that started the application, unless a \
        launch method returned false.
        """),
      .init(
        "Retire", [.noOptions],
        returns: [.init("ends", "b", "Whether the service ends the application.")],
        """
        Reports that the application of this connection has no work left. Returns true if the service \
        ends the application with SIGTERM; later requests start the next process, so no request is lost. \
        Returns false if a request is pending for the application, or if the service did not start the \
        application.
        """),
      .init(
        "HandedOver",
        [.init("request", "t", "The `request` of the delivery."), .noOptions],
        returns: [.init("changes", "b", "Whether the request was `unacknowledged` until then.")],
        """
        Reports that another program, which was started with a URL and was `unacknowledged`, takes URLs \
        now: it owns its bus name, or listens at its socket. The record of the request says `handed-over` \
        from then on. Only for a handler that passed the URL of the request on, and soon after its reply \
        to OpenURLs.
        """),
      .init(
        "ProgramFailed",
        [
          .init("request", "t", "The `request` of the delivery."),
          .init("options", "a{sv}", "How the program ended.", programFailure),
        ],
        returns: [.init("changes", "b", "Whether the record of the request has changed.")],
        """
        Reports that another program, which was started with a URL and still ran when the opener was \
        answered, has failed since. The trail of the request says so from then on. Only for a handler that \
        passed the URL of the request on, and soon after its reply to OpenURLs.
        """),
      .init(
        "DeliverDirectly", [.noOptions],
        returns: [.init("delivers", "b", "Whether deliveries use the direct connection.")],
        """
        Requests deliveries over a direct connection. The handler calls DeliverDirectly first on the \
        direct connection, then, from the same process, on the connection that has checked in. If the \
        second call returns true, all earlier messages to the handler have arrived over the bus before \
        the reply, and all later messages use the direct connection while that connection exists. \
        Messages on a direct connection have no sender; they come from the service. The socket is in \
        the folder `launch-services` of XDG_RUNTIME_DIR.
        """),
      .init(
        "SetShortcutItems",
        [
          .init(
            "items", "aa{sv}",
            """
            The quick actions: at most \(QuickAction.mostKept), each text with at most \
            \(QuickAction.longestText) bytes; empty to remove them.
            """, QuickAction.entry),
          .noOptions,
        ], returns: [],
        """
        Replaces the dynamic quick actions of the application of this connection. The service keeps the \
        items after the application has ended, until the application is unregistered; CheckIn returns \
        the items as `shortcut-items`.
        """),
    ], activityMethods)

  package static let registryInterface = InterfaceDescription(
    registry,
    "The registered applications, and the choices of the user. iOS applications may not use it.",
    methods: [
      .init(
        "RegisterApplication",
        [
          .init("path", "s", "The absolute path of the bundle or property list."),
          .init("options", "a{sv}", "The options.", buildOptions),
        ],
        returns: [.init("bundle_id", "s", "The identifier of the application.")],
        """
        Registers the bundle or property list, and keeps the registration after a restart.
        """),
      .init(
        "UnregisterApplication",
        [
          .init(
            "bundle_id", "s", "The identifier for all copies, or the absolute path of one copy.")
        ], returns: [],
        """
        Removes registrations of RegisterApplication. To remove an application in an application folder, delete its files.
        """),
      .init(
        "ForgetRegistrations",
        [
          .init(
            "options", "a{sv}", "The options.",
            DictionaryDescription([
              .init(
                Key.missing, "b",
                "True removes only the registrations whose files no longer exist.")
            ]))
        ],
        returns: [
          .init("paths", "as", "The paths of the property lists of the removed registrations.")
        ],
        """
        Removes all registrations of RegisterApplication, or some of them.
        """),
      .init(
        "ListApplications",
        returns: [.init("applications", "aa{sv}", "The applications.", installedApplication)],
        """
        Returns all registered applications. Fails with LimitExceeded if the reply would exceed 32 MiB; \
        use FindApplications with `after` instead.
        """),
      .init(
        "FindApplications",
        [
          .init(
            "options", "a{sv}", "One option, which selects the applications.",
            ApplicationQuery.description)
        ],
        returns: [
          .init(
            "applications", "aa{sv}", "The applications, best first.",
            installedApplication)
        ],
        """
        Returns the registered applications that one option selects: `url`, `bundle-identifier`, `name`, \
        `path` or `after`.
        """),
      .init(
        "WatchApplications", [.noOptions], returns: [],
        """
        Subscribes this connection to ApplicationWillLaunch, ApplicationLaunched and \
        ApplicationTerminated until the connection leaves the bus. Applications with LSUIElement or \
        LSBackgroundOnly send none of these signals.
        """),
      .init(
        "WatchReading", [.noOptions], returns: [],
        """
        Subscribes this connection to ReadingProgress until the connection ends, for clients that show \
        the progress of Reload.
        """),
      .init(
        "RunningApplications",
        returns: [.init("applications", "aa{sv}", "The processes.", runningApplication)],
        "Returns every process of a registered application."),
      .init(
        "Handlers", [.scheme], returns: .handlersWithReasons,
        """
        Returns the applications that can handle the scheme, best first, each with the reason for its \
        position.
        """
      ),
      .init(
        "DefaultHandler", [.scheme],
        returns: [.init("bundle_id", "s", "The identifier of the application.")],
        "Returns the application that OpenURL would use."),
      .init(
        "SetDefaultHandler", [.scheme, .chosenHandler], returns: [],
        """
        Sets the user's choice for the scheme. Fails with \
        NotPermitted if the scheme is reserved for a system application and the iOS application lacks \
        the entitlement to replace that application.
        """),
      .init(
        "Lint", [.init("path", "s", "The absolute path of the bundle or property list.")],
        returns: [.init("diagnostics", "aa{sv}", "The problems.", lintDiagnostic)],
        """
        Checks the bundle or property list and compares it with the registered \
        applications: which applications claim the same schemes, and which would receive the URLs. \
        Registers nothing.
        """),
      .init(
        "Check",
        [
          .init("path", "s", "The absolute path of the bundle or property list."),
          .init("options", "a{sv}", "The options.", buildOptions),
        ],
        returns: [.init("diagnostics", "aa{sv}", "The problems.", lintDiagnostic)],
        "Like Lint, with values of build variables."),
      .init("Reload", [], returns: [], "Reads every application folder again."),
      .init(
        "SetDesktopExport",
        [.init("enabled", "b", "Whether the applications are exported."), .noOptions], returns: [],
        """
        Enables or disables the export of the registered applications to desktop applications \
        (freedesktop), after every change and after a restart. The command `lsregister desktop` calls \
        this method.
        """),
      .init(
        "SetDefaultsGuard",
        [
          .init(
            "policy", "s",
            """
            `off`; `notice` to record the changes of other programs in the user's `mimeapps.list` files and \
            to tell the user; `restore` to take some of these changes back, too.
            """), .noOptions,
        ], returns: [],
        """
        Turns the guard of the user's default applications on or off; the choice is kept after a restart. The \
        command `lsregister guard`, which also says which changes are taken back, calls this method. \
        Applications may not call it.
        """),
    ], documentsOfRegistry, linkMethods, remoteMethods, devicesOfRegistry,
    signals: [
      .init(
        "Changed",
        [
          .init("generation", "t", "The generation of the registry, as in the property Generation.")
        ],
        "Applications or the user's choices have changed."),
      .init(
        "ApplicationWillLaunch",
        [.init("application", "a{sv}", "The application.", runningApplication)],
        """
        The application is being started, or has started by itself. Sent only to connections that called \
        WatchApplications.
        """),
      .init(
        "ApplicationLaunched",
        [.init("application", "a{sv}", "The application.", runningApplication)],
        """
        The application has finished launching. Sent only to connections that called WatchApplications.
        """),
      .init(
        "ApplicationTerminated",
        [.init("application", "a{sv}", "The application.", runningApplication)],
        """
        An application that had launched has ended. Sent only to connections that called \
        WatchApplications.
        """),
      .init(
        readingProgress,
        [
          .init("read", "t", "The number of property lists that have been read."),
          .init("found", "t", "The number of new or changed property lists."),
        ],
        """
        Reports the progress of the reading of very many property lists, at most ten times a second \
        and at the end. Sent only to connections that called WatchReading.
        """),
    ],
    properties: [
      .init(
        "Generation", "t", "The generation of the registry, which increases with every change."),
      .init(
        "DesktopExport", "b",
        "Whether the registered applications are exported to desktop applications (freedesktop)."),
      .init("DefaultsGuard", "s", "The argument of the last SetDefaultsGuard, or `off`."),
    ])

  /// What a handler exports.
  package static let applicationInterface = InterfaceDescription(
    application,
    """
    A handler exports this interface. Accept its calls only from the owner of the name `\(busName)`, \
    because every program on the bus can call a handler.
    """,
    methods: [
      .init(
        "OpenURLs",
        [.init("urls", "a(sa{sv})", "The URLs, each with its options.", deliveryOptions)],
        returns: [.init("handled", "ab", "For each URL whether the application handled the URL.")],
        """
        Delivers each URL exactly as the opener sent the URL. Documents that were opened together arrive \
        in one call. A handler that only passes URLs on to other programs may add a second value to the \
        reply, a dictionary `a{sv}` with `delivery` (s: `delivered`, `handed-over` or `unacknowledged`), \
        `way` (s: lower-case letters and hyphens, such as `arguments`) and, if known, `launch` (s: `cold` \
        or `warm`); the receipt of the open says so, and names the process `pid` (u; 0 if unknown). Its trail names \
        `exit-status` (u, from 1 to 125): the status of a program that ended without saying whether it took the URL. With \
        `owner` ((ut): the number of a process, and its start time in clock ticks since boot), the open \
        fails with DeliveryUnknown if this process, which took the URL, ends within 2 seconds: a program \
        that is ending still takes URLs, and loses them. A handler that does not know whether another program took a URL answers with the error \
        `org.launchservices.Error.DeliveryUnknown`.
        """),
      .init(
        "ContinueUserActivity",
        [
          .init("type", "s", "The type of the activity: `\(browsingWeb)`."),
          .init("activity", "a{sv}", "The activity.", activity),
        ],
        returns: [.handled],
        "Delivers a universal link."),
      .init(
        "PerformQuickAction",
        [
          .init("type", "s", "The type of the quick action."),
          .init("options", "a{sv}", "The quick action, and the delivery.", quickActionDelivery),
        ],
        returns: [.handled],
        "Delivers a quick action that the user chose."),
      .init(
        "Reopen", [.init("options", "a{sv}", "The delivery.", reopening)], returns: [],
        """
        The application was opened again without a URL or document. The method is optional. The reply of a \
        handler that only passes opens on to other programs may have two values: a boolean and the \
        dictionary of `OpenURLs`.
        """),
      .init(
        "StateChanged", [.init("state", "s", "`inactive`, `active` or `background`.")], returns: [],
        """
        Reports the state of the application. When the application comes to the front for a URL, a call \
        comes before the URL, and another after the URL when the application has become active. The \
        service does not wait for a reply.
        """),
    ])

  /// What the service exports.
  package static let interfaces = [
    workspaceInterface, launchInterface, registryInterface, confirmationInterface,
  ]

  /// What clients of the service export.
  package static let clientInterfaces = [applicationInterface, confirmationAgentInterface]
}
