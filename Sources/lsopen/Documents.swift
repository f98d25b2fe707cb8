internal import BusContract
internal import Commands
internal import DBus
internal import LaunchRules

/// Files: several are opened with one call, so that each application gets its own together (R5.28).
extension OpenCommand {
  /// The text editor that was asked for (R7.2).
  enum Editor: Equatable {
    /// TextEdit, and where that is not registered the default one.
    case textEdit
    case standard

    static let textEditIdentifier = "com.apple.TextEdit"
  }

  /// The identifier of a text editor.
  func identifier(of editor: Editor) throws(CommandFailure) -> String {
    let identifiers: [String]
    do throws(ServiceFailure) {
      identifiers =
        try service.call(Contract.handlers(ofType: TypeIdentifier.plainText.text), Service.patience)
        .first?.asStrings ?? []
    } catch {
      throw CommandFailure(error)
    }
    let wanted = BundleIdentifier(Editor.textEditIdentifier)
    let textEdit = identifiers.first { BundleIdentifier($0) == wanted }
    guard let found = editor == .textEdit ? textEdit ?? identifiers.first : identifiers.first else {
      throw CommandFailure(
        .failed, "no text editor is registered: no application opens \(TypeIdentifier.plainText)",
        error: "ApplicationNotFound")
    }
    return found
  }

  /// Those that are opened together; none when there is only one.
  func documents(among operands: [Operand], hasApplication: Bool) -> [String] {
    let urls = operands.filter { hasApplication || !isApplication($0) }
      .compactMap { try? url($0) }.filter(DocumentURL.isOne)
    return urls.count > 1 ? urls : []
  }

  /// Opens documents together.
  /// - Returns: the code of the first that failed.
  func open(
    documents urls: [String], _ opens: inout Opens, json: Bool
  ) throws(CommandFailure) -> ExitCode {
    var first = ExitCode.success
    for entry in try opens.send(documents: urls) {
      if json { output.print(JSON.text(entry)) }
      let names = Self.names(of: entry)
      guard let error = entry[Key.error]?.asString else {
        opens.note(entry, prefix: "\(names): ")
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
