internal import BusContract
internal import Commands
internal import DBus

/// `lsopen -a NAME` or `-b ID` alone.
extension OpenCommand {
  /// Starts the designated application, or brings its running process to the front.
  func openApplication(_ invocation: OpenInvocation) throws(CommandFailure) {
    let application =
      if let editor = invocation.editor {
        try identifier(of: editor)
      } else {
        invocation.options.application ?? ""
      }
    try openOne(invocation, ["application": .string(application)]) {
      var options = $0
      options.application = nil
      return Contract.openApplication(application, options)
    }
  }
}
