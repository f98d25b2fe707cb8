internal import BusContract
internal import Commands
internal import DBus
internal import DesktopEntries
internal import Host
internal import LaunchRules
internal import PropertyLists

/// The file with the user's choices of hand-over protocols.
struct HandOverFile {
  let path: String

  init(_ folders: UserFolders) { path = folders.configHome + "/" + HandOverChoices.file }

  /// No choices when there is no file.
  /// - Throws: the reason why the file cannot be used.
  func read() throws(CommandFailure) -> HandOverChoices {
    do {
      let bytes = try RegularFile.readOwn(path, atMost: HandOverChoices.largestFile)
      return try OwnPropertyList.decode(HandOverChoices.self, from: bytes)
    } catch let error as FileError where error.errno == .noSuchFile {
      return HandOverChoices()
    } catch {
      throw CommandFailure(
        .failed,
        "\(path) cannot be used: \(error); correct the file, or remove it to have the built-in ways again"
      )
    }
  }

  func write(_ choices: HandOverChoices) throws(CommandFailure) {
    do throws(FileError) {
      try AtomicFile.write(OwnPropertyList.encode(choices, isBinary: false), to: path)
    } catch {
      throw CommandFailure(.failed, error.description)
    }
  }
}

// MARK: - The verb

extension DesktopTask {
  /// Prints how running applications get URLs.
  /// - Parameter identifier: nil for all applications of the table and of the choices.
  func printHandOver(of identifier: String?) throws(CommandFailure) {
    let choices = try HandOverFile(folders).read()
    let declared = declaredHandOvers()
    let all = Set(choices.choices.keys).union(HandOverTable.identifiers).union(declared.keys)
    if let identifier, !all.contains(identifier), !isInstalled(identifier) {
      throw CommandFailure(.failed, unknownApplication(identifier), error: "NotRegistered")
    }
    let identifiers = identifier.map { [$0] } ?? all.sorted()
    let rows = identifiers.map { identifier in
      let words =
        choices.entry(for: identifier, declared: declared[identifier])?.words
        ?? [HandOverChoices.Choice.noneWord]
      let isChosen = choices.choices[identifier] != nil
      let source =
        isChosen ? "your choice" : declared[identifier] != nil ? "property list" : "built in"
      return (identifier, words, isChosen, source)
    }
    if json {
      output.print(
        JSON.text([
          "applications": .optionsList(
            rows.map {
              [
                Key.bundleIdentifier: .string($0.0), "hand-over": .strings($0.1),
                "chosen": .boolean($0.2), "source": .string($0.3),
              ]
            })
        ]))
    } else {
      output.print(
        Columns.lines(
          rows.map { [$0.0, $0.1.joined(separator: " "), $0.3] }))
    }
  }

  /// The protocols that property lists name, by the identifier that the user's choice has. Empty when the daemon cannot be
  /// reached.
  private func declaredHandOvers() -> [String: HandOverTable.Entry] {
    let applications = try? ApplicationQuery.all { message throws(CommandFailure) in
      try call(message)
    }
    var all: [String: HandOverTable.Entry] = [:]
    for application in applications ?? [] {
      guard let own = application[Key.bundleIdentifier]?.asString,
        let entry = application[Key.handOver]?.asStrings.flatMap(HandOverTable.Entry.init)
      else { continue }
      all[own] = entry
    }
    return all
  }

  private func isInstalled(_ identifier: String) -> Bool {
    if application(identifier) != nil { return true }
    let found = try? call(Contract.findApplications(.identifier(identifier)))
    // Without the daemon, only a desktop file ID can be known to be wrong.
    guard let found else { return !identifier.hasSuffix(".desktop") }
    return found.first?.asOptionsList?.isEmpty == false
  }

  /// - Parameter choice: nil for the entry of the table.
  func chooseHandOver(
    of identifier: String, _ choice: HandOverChoices.Choice?
  ) throws(CommandFailure) {
    let file = HandOverFile(folders)
    var choices = try file.read()
    if choice != nil, !isInstalled(identifier) {
      output.complain(
        unknownApplication(identifier) + "; the choice counts as soon as there is one")
    }
    guard choices.choices.count < HandOverChoices.most || choices[identifier] != nil else {
      throw CommandFailure(
        .failed, "\(HandOverChoices.most) choices are kept, which is the limit")
    }
    choices[identifier] = choice
    try file.write(choices)
    if json { output.print(JSON.text([:])) }
  }
}
