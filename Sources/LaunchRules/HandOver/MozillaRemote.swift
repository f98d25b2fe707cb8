/// The remote of Firefox and Thunderbird: a packed command line at a bus name for each running profile.
package enum MozillaRemote {
  private static let prefix = "org.mozilla."
  /// Maximum length of a bus name, in bytes.
  private static let longestName = 255

  /// The options with which the default profile gets the URL; some have a value. Others choose a profile or start a process
  /// of their own.
  private static let allowed: [String: Bool] = [
    "new-tab": false, "new-window": false, "private-window": false, "url": false, "name": true,
    "class": true,
  ]

  static func allows(_ options: [String]) -> Bool {
    var rest = options[...]
    while let option = rest.popFirst() {
      let dashes = option.prefix { $0 == "-" }.count
      guard (1...2).contains(dashes), let hasValue = allowed[String(option.dropFirst(dashes))]
      else { return false }
      if hasValue, rest.popFirst() == nil { return false }
    }
    return true
  }

  /// The folders in which the profiles of the application may be: newer versions use the folder for configuration instead
  /// of the home folder. That of a running process may differ from ours.
  /// - Parameters:
  ///   - folders: below the home folder.
  ///   - environments: the environments of the running processes.
  package static func folders(
    _ folders: [String], home: String, configHome: String,
    ofProcesses environments: [[String: String]]
  ) -> [String] {
    let configured = ".config/"
    var places: [(home: String, configHome: String)] = [(home, configHome)]
    for environment in environments {
      let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home
      let configHome = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
      places.append((home, configHome ?? home + "/.config"))
    }
    var all: [String] = []
    for (home, configHome) in places {
      for folder in folders {
        if folder.hasPrefix(configured) {
          all.append(configHome + "/" + folder.dropFirst(configured.count))
        }
        all.append(home + "/" + folder)
      }
    }
    var seen: Set<String> = []
    return all.filter { seen.insert($0).inserted }
  }

  /// The bus name of a running profile.
  /// - Parameters:
  ///   - application: such as `firefox`.
  ///   - profile: the Base64 encoding of the path of the profile.
  package static func name(of application: String, profile: String) -> String {
    let text = profile.map { character in
      character.isASCII && (character.isLetter || character.isNumber) ? character : "_"
    }
    return String("\(prefix)\(application).\(String(text))".prefix(longestName))
  }

  /// - Parameter name: a name as of `name(of:profile:)`.
  static func requests(
    for subject: HandOverProtocol.Subject, to name: String
  ) -> [BusRequest] {
    let application = name.dropFirst(prefix.count).prefix { $0 != "." }
    guard name.hasPrefix(prefix), !application.isEmpty, let commandLine = subject.commandLine else {
      return []
    }
    return [
      BusRequest(
        "/org/mozilla/\(application)/Remote", prefix + application, "OpenURL",
        [.bytes(packed(commandLine, subject))])
    ]
  }

  /// The number of arguments, the offset of each from the beginning, the working directory, and the arguments. Numbers
  /// have 32 bits, the lowest byte first; texts end with a zero byte.
  private static func packed(
    _ commandLine: [String], _ subject: HandOverProtocol.Subject
  ) -> [UInt8] {
    var arguments = commandLine
    if let token = subject.activationToken, !arguments.isEmpty {
      arguments[0] += " STARTUP_TOKEN=\(token)"
    }
    let folder = Array(subject.folder.utf8) + [0]
    var offset = 4 * (arguments.count + 1) + folder.count
    var (header, texts) = (littleEndian(arguments.count), folder)
    for argument in arguments {
      header += littleEndian(offset)
      let text = Array(argument.utf8) + [0]
      texts += text
      offset += text.count
    }
    return header + texts
  }

  private static func littleEndian(_ number: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }
}
