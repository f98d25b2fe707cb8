internal import BusContract
internal import Commands
internal import DBus
internal import LaunchRules

/// Opens the arguments in order. URLs do not wait for the results of those before, files and applications do. The results are
/// printed in order.
extension OpenCommand {
  /// Returns the exit code of the first failure.
  func open(_ operands: [Operand], _ invocation: OpenInvocation) throws(CommandFailure) -> ExitCode
  {
    var invocation = invocation
    if let editor = invocation.editor {
      invocation.options.application = try identifier(of: editor)
    }
    let operands = invocation.readsStandardInput ? [Operand(try readText())] : operands
    var opens = try Opens(
      invocation, self, urls: urls(of: operands, isVerbatim: invocation.isVerbatim))
    var first = ExitCode.success
    let hasApplication = invocation.options.application != nil
    let documents = documents(
      among: operands, hasApplication: hasApplication, isVerbatim: invocation.isVerbatim)
    var areSent = false
    for operand in operands {
      let prefix = operands.count == 1 ? "" : "\(operand.text): "
      var asked: Options = ["url": .string(operand.text)]
      do throws(CommandFailure) {
        let receipt: Options
        switch try target(
          operand, hasApplication: hasApplication, isVerbatim: invocation.isVerbatim,
          prefix: prefix)
        {
        case .url(let url):
          asked["url"] = .string(url)
          if !documents.isEmpty, DocumentURL.isOne(url) {
            if areSent { continue }
            areSent = true
            let code = try open(documents: documents, &opens, json: invocation.json)
            if first == .success { first = code }
            continue
          }
          receipt = try opens.send(url: url, prefix: prefix)
        case .application(let path):
          asked["url"] = .string(FilePath.url(path))
          let application = try identifier(at: path, invocation)
          receipt = try opens.send(prefix: prefix) { Contract.openApplication(application, $0) }
        }
        if invocation.json { output.print(JSON.text(receipt.merging(asked) { $1 })) }
      } catch {
        let error = operand.advising(error)
        if invocation.json { print(error, asked) }
        // Without the daemon all further opens would fail in the same way, each after a timeout.
        if error.code == .serviceUnreachable { throw error }
        output.complain(prefix + error.reason)
        if first == .success { first = error.code }
      }
    }
    remarkOnOpener(invocation)
    do throws(CommandFailure) {
      try opens.waitForExits()
    } catch {
      if first == .success { throw error }
      output.complain(error)
    }
    return first
  }

  /// Says when no application has the name given with `--as`: then the opens counted as those of no application.
  func remarkOnOpener(_ invocation: OpenInvocation) {
    guard let name = invocation.options.actAs,
      let found = try? ask(Contract.findApplications(.identifier(name)), invocation).first,
      found.asOptionsList?.isEmpty == true
    else { return }
    let named = try? ask(Contract.findApplications(.name(name)), invocation).first?.asOptionsList?
      .first?[Key.bundleIdentifier]?.asString
    output.complain(
      "no application \(name) is registered, so --as had no effect; "
        + (named.map { "the application called '\(name)' is \($0)" }
          ?? "'lsregister list' shows the identifiers of applications"))
  }

  /// The URLs of the operands; empty when there are others than URLs of applications.
  private func urls(of operands: [Operand], isVerbatim: Bool) -> [String] {
    let urls = operands.compactMap { operand in
      operand.isURL || operand.hasFormOfURL ? try? url(operand, isVerbatim: isVerbatim) : nil
    }
    return urls.count == operands.count && !urls.contains(where: DocumentURL.isOne) ? urls : []
  }
}
