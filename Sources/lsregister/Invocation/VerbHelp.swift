extension Verb {
  /// The help text of the verb, after the summary.
  var explanation: [String] {
    switch self {
    case .add:
      [
        "PATH is a bundle (NAME.app) or a property list. It stays registered after a restart.",
        "Prints the identifier of each.",
      ]
    case .remove:
      [
        "By PATH, which has a '/', the one copy that was registered there, also when it is gone. What lies",
        "in an application folder must be removed there. With several, each is tried; the",
        "exit status is that of the first that failed.",
      ]
    case .list:
      [
        "One line for each: identifier, version, state, schemes, name. An empty column holds '-'.",
        "The name is that of your language, by LANGUAGE, LC_ALL, LC_MESSAGES and LANG.",
        "Prints nothing when there are none.",
      ]
    case .show:
      [
        "One line for each fact, and for each URL type with its name, role, rank, icon file and schemes.",
        "Exit status 4 when there is no such application.",
      ]
    case .apps:
      [
        "One line for each process: identifier, state, process number, since when, how many requests",
        "it has not answered. The state is one of launching, inactive, active, background,",
        "suspended, ending; or returning, of one that ran before the daemon and has not checked in",
        "again. Prints nothing when there are none.",
      ]
    case .handlers:
      [
        "One line for each, best first: identifier, reason of its place. Exit status 4 when there is none.",
        "SCHEME is the name alone; one that has a '.' is written with a ':' behind it. TYPE is a type of",
        "files and has a '.', such as public.png. FILE has a '/', such as ./photo.png.",
      ]
    case .default:
      [
        "Without ID prints the identifier that lsopen would use; exit status 4 when there is none.",
        "With ID makes it the user's choice, with --unset takes that choice back. For what SCHEME, TYPE and",
        "FILE are, see handlers. A choice for a file is one for its path. An application of iOS must",
        "claim what it is chosen for.",
      ]
    case .type:
      [
        "One line for each fact: the type, why it is that, and all types it conforms to, nearest first."
      ]
    case .lint:
      [
        "One line for each finding: file, key, severity, what is wrong, what becomes of it.",
        "Exit status 1 when one is an error, so that the application cannot be registered. With --registry the",
        "daemon reads them, without --define, and says besides what would become of them: who else claims a",
        "scheme, and who would get its URLs; an identifier that is taken, or not in reverse DNS form; URL",
        "types of one name; quick actions and launch images that are never shown.",
      ]
    case .dump:
      [
        "For each application its facts, then its claims and types. With --dot a graph for Graphviz:",
        "who may handle each scheme, type and domain of links, and in bold who does ('lsregister dump",
        "--dot | dot -Tsvg').",
      ]
    case .monitor:
      [
        "One line for each: when, who, the URL without query and fragment, the application, cold or",
        "warm, what became of it, how long that took. 'lsopen --history' tells of earlier ones.",
      ]
    case .desktop:
      [
        "enable writes a desktop entry for every registered application, claims the schemes that",
        "desktop applications handle, and keeps both current. For each SCHEME named it makes ours the",
        "default in mimeapps.list, otherwise no default is changed. disable gives the defaults back:",
        "those named, else all, and takes the entries away. status has one line for each scheme:",
        "scheme, identifier, whether ours is the default, the default. Needs launchservices-desktop.",
      ]
    case .approvals:
      [
        "Before some opens the user is asked, a call or a link in a web page for example. 'allow' and",
        "'deny' settle the answer for URLs of SCHEME that go to the application ID, for anybody or for",
        "one --opener. 'reset' forgets those that match. 'import' adds those of a property list that",
        "'export' wrote, or of an iOS simulator (com.apple.launchservices.schemeapproval.plist).",
        "'list' prints one line for each: answer, opener, scheme, application.",
      ]
    case .links:
      [
        "Web URLs that an application gets instead of the browser. 'list' prints one line for each",
        "associated domain: application, entry, the user's choice, the site's approval, where its",
        "association file is from, what came of fetching it. 'verify' tries URLs, or paths of DOMAIN,",
        "and says which component of the file decides; with -j FILE it reads that file and needs no",
        "daemon; without -u it prints the patterns. Exit status 1 when a URL opens no application.",
        "'dump' prints the patterns of all files. 'add' has a copy of FILE count for DOMAIN instead",
        "of what its site has, until 'remove'. 'refresh' asks the sites now. 'choose' settles where",
        "links of DOMAIN, also written as 'list' has it, open that the application ID may get: CHOICE",
        "is application, browser or unspecified.",
      ]
    case .reload:
      [
        "Seldom needed: the daemon notices changes by itself. Where standard error is a terminal, it shows",
        "how many property lists have been read when that takes long.",
      ]
    }
  }
}
