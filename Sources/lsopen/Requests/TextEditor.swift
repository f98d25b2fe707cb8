internal import BusContract
internal import Commands
internal import DBus
internal import LaunchRules

/// The application of `-e`, `-t` and `-f` (R7.2).
extension OpenCommand {
  /// The requested text editor (R7.2).
  enum Editor: Equatable {
    /// TextEdit, or the default text editor if TextEdit is not registered.
    case textEdit
    case standard

    static let textEditIdentifier = "com.apple.TextEdit"
  }

  /// The identifier of the text editor.
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
}
