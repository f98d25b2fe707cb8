internal import BusContract
internal import Commands
internal import DBus
internal import LaunchRules

/// Opens several files with one call, so that each application receives its files together (R5.28).
extension OpenCommand {
  /// The files that are opened together; empty if there is only one.
  func documents(
    among operands: [Operand], hasApplication: Bool, isVerbatim: Bool
  ) -> [String] {
    let urls = operands.filter { hasApplication || !isApplication($0) }
      .compactMap { try? url($0, isVerbatim: isVerbatim) }.filter(DocumentURL.isOne)
    return urls.count > 1 ? urls : []
  }

  /// Opens documents together.
  /// - Returns: the exit code of the first failure.
  func open(
    documents urls: [String], _ opens: inout Opens, json: Bool
  ) throws(CommandFailure) -> ExitCode {
    var first = ExitCode.success
    for entry in try opens.send(documents: urls) {
      if json { output.print(JSON.text(entry)) }
      let names = Self.names(of: entry)
      guard let error = entry[Key.error]?.asString else {
        opens.add(entry, prefix: "\(names): ")
        continue
      }
      output.complain("\(names): \(entry[Key.message]?.asString ?? error)")
      if first == .success { first = CommandFailure.code(of: error) }
    }
    return first
  }

  private static func names(of entry: Options) -> String {
    (entry[Key.documents]?.asStrings ?? []).map { url in
      (try? DocumentURL(url))?.visiblePath ?? url
    }.joined(separator: ", ")
  }
}
