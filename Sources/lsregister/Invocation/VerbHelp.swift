extension Verb {
  /// The help text of the verb, after the summary.
  var explanation: [String] {
    switch self {
    case .add:
      [
        "PATH is a bundle (NAME.app) or a property list. The registration is kept after a"
          + " restart. Prints",
        "the identifier of each registered application.", "",
        "A property list of a source tree contains build variables, such as $(PRODUCT_BUNDLE_IDENTIFIER)."
          + " They",
        "get their values from --define, from --xcconfig and from the settings that --xcode has for the"
          + " simulator,",
        "strongest first. Nothing of the project is run. Without PATH, the property list is the one of the",
        "target. --team, --sdk and --platform say what such a property list does not contain.", "",
        "--stub registers a copy of the property list, whose program is a stand-in. The stand-in takes URLs,",
        "documents and quick actions in the callbacks that the property list implies, and prints them to the"
          + " log of",
        "the daemon. --behaviour takes words separated by commas: one for the launch (veto, hang-at-launch,"
          + " crash-at-launch),",
        "and accept, refuse, hang and crash for the deliveries to a process, in their order. The stand-in belongs to"
          + " the test",
        "kit.",
      ]
    case .remove:
      [
        "ID removes all copies of the application that were registered with add. PATH, which contains a",
        "'/', removes the copy registered from that path, even if the files no longer exist. To"
          + " remove an",
        "application in an application folder, delete its files. Several arguments are processed"
          + " in order;",
        "the exit status is that of the first failure.",
      ]
    case .list:
      [
        "Prints one line for each application: identifier, version, state, schemes, name. An"
          + " empty column",
        "contains '-'. The name is in the language set by LANGUAGE, LC_ALL, LC_MESSAGES and LANG. Prints",
        "nothing if no application is registered.",
      ]
    case .show:
      [
        "Prints one line for each fact, and one line for each URL type with its name, role, rank,"
          + " icon file",
        "and schemes. The exit status is 4 if the application is not registered.",
      ]
    case .apps:
      [
        "Prints one line for each process: identifier, state, process ID, start time, number of"
          + " unanswered",
        "requests. The state is launching, inactive, active, background, suspended, ending or"
          + " returning. A",
        "returning process was running before the daemon started and has not checked in again. The state of a",
        "desktop application is running, and its process is the one that got a URL last. Prints nothing if no",
        "application is running.",
      ]
    case .handlers:
      [
        "Prints one line for each application, best first: identifier, reason for its position. The exit",
        "status is 4 if there is no application. Write SCHEME without ':', unless the scheme contains a",
        "'.'. TYPE is a type of files and contains a '.', for example public.png, or a MIME type, for example",
        "text/html. FILE contains a '/', for example ./photo.png.",
      ]
    case .default:
      [
        "Without ID, prints the identifier of the application that lsopen would use; the exit"
          + " status is 4",
        "if there is no application. With ID, makes that application the user's choice; --unset"
          + " removes the",
        "choice. See handlers for SCHEME, TYPE and FILE. The choice for a file applies to the"
          + " path of the",
        "file. An iOS application can be chosen only for schemes and types that the application claims.",
      ]
    case .type:
      [
        "Prints one line for each fact: the type, the reason, and all types that the type conforms to,",
        "nearest first.",
      ]
    case .lint:
      [
        "PATH is a bundle, a property list, a project NAME.xcodeproj, a folder, or a pattern with *, ? and"
          + " **.",
        "In a folder, finds the projects, the bundles, the other property lists of applications, whatever"
          + " their",
        "names, the entitlements, and the files apple-app-site-association and assetlinks.json. A file that"
          + " the",
        "target of a project in a folder around it uses has the values of that target. A property list that is"
          + " not",
        "an application's is skipped with a note. Prints one line for each problem: file, key, severity,",
        "problem, consequence. The exit status is 1 if a problem is an error, and with --strict also if one"
          + " is a",
        "warning. Build variables get their values as with add.",
        "Without the daemon, the property lists are compared with the system applications. With --registry,",
        "the daemon compares them with the registered applications: schemes that other applications claim,"
          + " and",
        "the application that would receive the URLs; identifiers that are in use or not in reverse DNS form;",
        "URL types with the same name; types that nobody declares; quick actions and launch images that are",
        "never shown. A file NAME.json, or apple-app-site-association, is checked as the association file of",
        "a web site, and assetlinks.json as that for Android.",
      ]
    case .dump:
      [
        "Prints the facts of each application, then its claims and types. Leaves out the public types"
          + " (such",
        "as public.png) that the system application Core Types declares, unless --core-types is given. With",
        "--dot, prints a graph for Graphviz: the applications that can handle each scheme, type and"
          + " domain",
        "of links; the handler in use is bold ('lsregister dump --dot | dot -Tsvg').",
      ]
    case .monitor:
      [
        "Prints one line for each open: time, opener, URL without query and fragment,"
          + " application, cold or",
        "warm start, result, duration. 'lsopen --history' prints earlier opens.",
      ]
    case .desktop:
      [
        "'enable' writes a desktop entry for each registered application, and keeps the entries up to",
        "date. 'enable' also makes Launch Services the default for each",
        "given SCHEME in mimeapps.list; without SCHEME, no default changes. 'disable' restores"
          + " the defaults",
        "of the given schemes; without SCHEME, 'disable' restores all defaults and removes the desktop",
        "entries. 'status' prints whether entries are written, then one line for each scheme: scheme,",
        "identifier, whether Launch Services is the default, and the default. The verb requires",
        "launchservices-desktop.",
      ]
    case .handover:
      [
        "Prints one line for each application: identifier, way, and whether the way is built in, of the"
          + " property list",
        "(LaunchServicesHandOver) or your choice. With WAY, URLs go to the running application in this protocol, when a process of its program",
        "owns PLACE; with 'none', a second process gets each URL; with 'default', the built-in way counts"
          + " again.",
        "WAY PLACE is one of: gtk-open NAME; gtk-command-line NAME; kde-command-line NAME; mumble NAME;",
        "hexchat NAME; mozilla-remote APPLICATION FOLDER...; chromium-singleton FOLDER;"
          + " electron-singleton FOLDER;",
        "qt-local-peer SOCKET; telegram FOLDER; libreoffice FOLDER; tauri NAME; wails NAME. NAME is a bus name; with '*' at its end, every name",
        "that begins so. FOLDER of mozilla-remote is below the home folder, or below $XDG_CONFIG_HOME"
          + " if it begins with .config/; that of telegram is below $XDG_DATA_HOME;",
        "other folders and SOCKET are below $XDG_CONFIG_HOME. The verb requires launchservices-desktop.",
      ]
    case .guard:
      [
        "'on' watches your mimeapps.list files. With the policy 'notice', which is the default, each change by"
          + " another",
        "program is recorded, and a notification tells you. With 'restore', the guard also takes back each change",
        "that takes a type or scheme from another application: a default, the first place among the added",
        "associations, a removed line, and each default that you have undone before. What you choose in the"
          + " settings",
        "of your desktop, or with 'gio mime', 'xdg-mime', 'xdg-settings' or an editor from the shell of a terminal,",
        "stays, and so does each change in favour of an ID that you allow. 'changes' prints some lines for each"
          + " change:",
        "number and time, file, each changed type with the applications before and after and whether that was kept,"
          + " and",
        "the processes that may have made the change, or 'unknown'. 'undo N' restores the file of the change N byte for byte, or, when"
          + " the",
        "file has changed since, the lines that have not. 'keep N' makes the change N again when it was undone, or its",
        "lines that the guard has taken back. The verb requires launchservices-desktop.",
      ]
    case .approvals:
      [
        "The user must confirm some opens, for example a link in a web page. 'allow' and 'deny' store the",
        "answer for URLs of SCHEME that the application ID opens, for all openers or for the opener of",
        "--opener. 'reset' removes matching answers. 'import' adds the answers of a",
        "property list that 'export' wrote, or of an iOS simulator",
        "(com.apple.launchservices.schemeapproval.plist). 'list' prints one line for each answer:"
          + " answer,",
        "opener, scheme, application.",
      ]
    case .links:
      [
        "A universal link is a web URL that an application receives instead of the browser."
          + " 'list' prints",
        "one line for each associated domain: application, entry, the user's choice, the site's"
          + " approval,",
        "the source of the association file, the result of the last fetch. 'verify' tests URLs,"
          + " or paths of",
        "DOMAIN, and prints the component of the association file that decides; -j FILE reads"
          + " that file and",
        "does not require the daemon; without -u, 'verify' prints the patterns. With --site, 'verify' asks the"
          + " site",
        "and reports what is wrong with the answer and with the files for iOS and Android; with --against, it"
          + " asks",
        "the sites of an application, and reports whether they name it; its property list gets the values of"
          + " build",
        "variables as with lint. The exit status"
          + " is 1 if no",
        "application receives a URL. 'dump' prints the patterns of all association files. 'add'"
          + " uses a copy",
        "of FILE for DOMAIN instead of the file of the site, until 'remove'. 'refresh' fetches the files",
        "from the sites. 'choose' sets where links of DOMAIN for the application ID open; write"
          + " DOMAIN as",
        "'list' prints it; CHOICE is application, browser or unspecified.",
      ]
    case .remote:
      [
        "A remote is another machine or a container whose programs open URLs here. 'add' makes a socket for the"
          + " remote",
        "and prints how ssh or a container brings the socket to the other side; the socket is made again at each",
        "start. Whoever can connect to the socket is the remote. There, lsopen uses the socket that"
          + " LAUNCH_SERVICES_REMOTE names,",
        "or, without a display, $XDG_RUNTIME_DIR/launch-services/forwarded or"
          + " ~/.local/state/launch-services/forwarded.",
        "A remote may open http, https and mailto URLs; before other schemes, and web pages of this machine"
          + " or of the",
        "local network, the user is asked; files are refused. 'allow', 'ask' and 'deny' change that for a SCHEME."
          + " 'list' prints",
        "one line for each remote: name, schemes, what is sent there, callbacks, connections, path of the socket. In"
          + " 'lsopen --history' and in",
        "approvals the opener is remote:NAME; 'lsopen --as remote:NAME --explain URL' explains what would happen.",
        "'allow-callback' permits that a port of this machine is forwarded to the remote until the login is over, at most 10",
        "minutes, when the remote opens a login whose redirect_uri is http://localhost:PORT; the remote must be connected by 'lsopen"
          + " ssh'.",
        "'send' makes rules for the other direction: URLs of SCHEME, and web pages of HOST, are opened on NAME, as with"
          + " 'lsopen --on NAME'.",
        "'keep' ends these rules. Write a SCHEME with a '.' as com.example.app:, a HOST without a '.' as //wiki, and all"
          + " hosts below one",
        "as '*.example.com'. The longest HOST counts, then the SCHEME. 'lsopen -b ID' and 'lsopen --on' go before the"
          + " rules. What a",
        "remote opens is never sent on.",
      ]
    case .devices:
      [
        "Prints one line for each device: name, identifier, kind, transport, paired or unpaired,"
          + " reachable",
        "or unreachable. Starts KDE Connect if KDE Connect is installed and does not run; KDE Connect then",
        "needs some seconds to find devices. 'lsopen --on NAME URL' hands a URL over to a device. If"
          + " devices",
        "may be missing, prints the reason on standard error; the exit status is then 4 if no device is",
        "listed.",
      ]
    case .reload:
      [
        "Usually not necessary, because the daemon detects changes. On a terminal, shows the number of",
        "property lists read if reading takes long.",
      ]
    }
  }
}
