internal import ApplicationFolders
internal import Commands
internal import FoundationEssentials
internal import StubApplications

/// `lstest init`.
extension TestCommand {
  func initialise(_ argument: String, _ invocation: TestInvocation) throws(CommandFailure) {
    let path = FilePath.absolute(argument, from: folder)
    try FilePath.requireFile(path)
    let target = invocation.output.map { FilePath.absolute($0, from: folder) }
    if let target, FilePath.exists(target) {
      throw CommandFailure(.failed, "The file \(target) exists; remove it, or name another file.")
    }
    // Relative paths in a scenario begin at its folder.
    let base =
      target.map { "/" + $0.split(separator: "/").dropLast().joined(separator: "/") } ?? folder
    var draft = ScenarioDraft(
      name: path.split(separator: "/").last.map(String.init) ?? path, folder: base,
      definitions: invocation.definitions)
    if path.hasSuffix(".xcodeproj") {
      draft.add(project: path)
    } else if ScenarioFiles.isFolder(path), !path.hasSuffix(".app") {
      draft.add(SourceTree(path))
    } else if let list = try? PropertyListPath.find(path) {
      draft.add(list, isNamed: list == path)
    }
    for remark in draft.remarks { output.complain(remark) }
    guard !draft.isEmpty else {
      throw CommandFailure(
        .failed,
        "\(path) has no property list of an application that can be registered; name one, such as"
          + " ios/Runner/Info.plist")
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(draft.tree) else {
      throw CommandFailure(.failed, "the scenario cannot be written as JSON")
    }
    if let target {
      try Self.write(String(decoding: data, as: UTF8.self) + "\n", to: target)
    } else {
      output.complain(
        "relative paths in this scenario begin at \(folder): save it in this folder, or write it with"
          + " --output FILE")
      output.print(
        String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init))
    }
  }
}
