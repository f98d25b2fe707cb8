internal import BusContract
internal import Commands
internal import DBus
internal import DesktopEntries
internal import Glibc
internal import Host
internal import LaunchRules

// The user's decisions: whether to export, and the schemes whose default is an exported entry.

extension DesktopTask {
  /// Changes nothing when one of the schemes cannot be exported.
  /// - Parameter schemes: nil for all exported schemes.
  func enable(_ schemes: [URLScheme]?) throws(CommandFailure) {
    try check(schemes ?? [])
    _ = try call(Contract.setDesktopExport(true))
    let entries = try exportEntries(asked: schemes)
    let wanted = schemes ?? Set(entries.flatMap(\.schemes)).filter(leadsToOurs).sorted()
    var chosen: [(URLScheme, DesktopEntry)] = []
    for scheme in wanted {
      do throws(CommandFailure) {
        chosen.append((scheme, try entry(for: scheme, among: entries)))
      } catch {
        complain(error.reason)
      }
    }
    if !chosen.isEmpty {
      try changeDefaults { list in
        for (scheme, entry) in chosen { list.prefer(entry.fileName, for: scheme) }
      }
    }
    for (scheme, entry) in chosen { warnUnlessDefault(scheme, entry.fileName) }
    report(chosen.map { ($0, $1.fileName) })
  }

  private func check(_ schemes: [URLScheme]) throws(CommandFailure) {
    guard !schemes.isEmpty else { return }
    let entries = try entries(asked: schemes)
    for scheme in schemes {
      do throws(CommandFailure) {
        _ = try entry(for: scheme, among: entries)
      } catch {
        throw CommandFailure(error.code, "\(error.reason); nothing was changed", error: error.error)
      }
    }
  }

  /// - Parameter schemes: empty to undo everything that `enable` did.
  func disable(_ schemes: [URLScheme]) throws(CommandFailure) {
    if schemes.isEmpty { _ = try call(Contract.setDesktopExport(false)) }
    let given = try giveBack(schemes)
    if schemes.isEmpty {
      removeExports()
      _ = try call(Contract.reload())
    }
    report(given.map { ($0, "") })
  }

  /// Does what `disable` does for everything, without the daemon: the daemon is about to be uninstalled. The
  /// daemon must not run, because it would export again. Its setting remains.
  func withdraw() throws(CommandFailure) {
    removeExports()
    report(try giveBack([]).map { ($0, "") })
  }

  /// - Parameter schemes: empty for all schemes.
  /// - Returns: the schemes whose default was an exported entry.
  private func giveBack(_ schemes: [URLScheme]) throws(CommandFailure) -> [URLScheme] {
    var given: [URLScheme] = []
    try changeDefaults { list in
      given = (schemes.isEmpty ? list.ours : schemes).filter { list.giveBack($0) }
    }
    return given
  }

  private func removeExports() {
    let files = exportedFiles()
    for file in files { remove("\(entriesFolder)/\(file)") }
    if !files.isEmpty { updateDatabase() }
    remove(formerClaimsFile)
  }

  private func report(_ changes: [(URLScheme, String)]) {
    if json {
      output.print(
        JSON.text(
          .optionsList(
            changes.map { ["scheme": .string($0.text), "default": .string($1)] })))
    } else {
      output.print(Columns.lines(changes.map { $1.isEmpty ? [$0.text] : [$0.text, $1] }))
    }
  }

  private func entry(
    for scheme: URLScheme, among entries: [DesktopEntry]
  ) throws(CommandFailure) -> DesktopEntry {
    let handler = try firstHandler(of: scheme)
    if handler.isEmpty {
      throw CommandFailure(
        .failed, OpenFailure.noApplication(for: scheme).text)
    }
    guard
      let entry = entries.first(where: {
        $0.identifier == BundleIdentifier(handler) && $0.schemes.contains(scheme)
      })
    else {
      throw CommandFailure(
        .failed,
        "the default handler of the scheme \(scheme) is \(handler), which is not exported"
          + (DesktopApplication(identifier: handler) == nil
            ? ""
            : ": it is an application of the desktop; to make it the default there: gio mime"
              + " \(SchemeType.text(of: scheme)) \(handler)")
      )
    }
    return entry
  }

  private func leadsToOurs(_ scheme: URLScheme) -> Bool {
    guard let handler = try? firstHandler(of: scheme) else { return false }
    return BundleIdentifier(handler).map { exportedFiles().contains(DesktopEntryName.file(of: $0)) }
      ?? false
  }

  /// Warns when another list, such as that of one desktop, takes precedence over the user's list.
  private func warnUnlessDefault(_ scheme: URLScheme, _ file: String) {
    var current = DesktopApplication.handlers(of: scheme).first?.identifier
    // GIO notices the change of the list with a delay.
    for _ in 0..<50 where current != file {
      usleep(20_000)
      current = DesktopApplication.handlers(of: scheme).first?.identifier
    }
    guard current != file else { return }
    complain(
      "the default for \(scheme) is still \(current ?? "missing"): another mimeapps.list, such as "
        + "that of your desktop, takes precedence over \(mimeAppsFile)")
  }
}

// MARK: - Status

extension DesktopTask {
  func status() throws(CommandFailure) {
    let isOn =
      try call(Contract.registryProperty("DesktopExport")).first?.asBooleanInVariant ?? false
    var rows: [(scheme: URLScheme, identifier: String, current: String, isOurs: Bool)] = []
    for file in exportedFiles() {
      guard let entry = try? DesktopEntryFile(read("\(entriesFolder)/\(file)") ?? []) else {
        continue
      }
      for scheme in entry.schemes {
        let current = DesktopApplication.handlers(of: scheme).first?.identifier ?? ""
        rows.append((scheme, entry.identifier, current, current == file))
      }
    }
    rows.sort { $0.scheme == $1.scheme ? $0.identifier < $1.identifier : $0.scheme < $1.scheme }
    if json {
      let schemes = rows.map { row -> Options in
        [
          "scheme": .string(row.scheme.text), Key.bundleIdentifier: .string(row.identifier),
          "default": .string(row.current), "is-default": .boolean(row.isOurs),
        ]
      }
      output.print(
        JSON.text(["enabled": .boolean(isOn), "schemes": .optionsList(schemes)]))
    } else {
      output.print(isOn ? "enabled" : "disabled")
      output.print(
        Columns.lines(
          rows.map {
            [
              $0.scheme.text, $0.identifier, $0.isOurs ? "default" : "not default",
              $0.current.isEmpty ? "-" : $0.current,
            ]
          }))
    }
  }
}
