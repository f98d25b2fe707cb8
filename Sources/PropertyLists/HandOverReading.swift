internal import LaunchRules

/// Reads `LaunchServicesHandOver`: the protocol in which the running application takes URLs, and the place, as in
/// `lsregister handover`. This key is an extension of this project.
extension LenientDictionary {
  private static let handOverKey = "LaunchServicesHandOver"

  /// The program that passes URLs on to the application; nil without a valid key.
  func bridge(_ context: ReadingContext, to identifier: BundleIdentifier?) -> Program? {
    let key = Self.handOverKey
    guard contains(key), let identifier else { return nil }
    let words = list(key, allowingOne: true) { $0.text()?.text }
    guard let entry = HandOverTable.Entry(words) else {
      context.report(
        .warning, key, "\(words.joined(separator: " ").quoted) is no protocol with its place",
        "it was ignored: write an array of the words that lsregister handover --help explains, such"
          + " as tauri and com.example.app.SingleInstance")
      return nil
    }
    guard !truth("DBusActivatable") else {
      context.report(
        .warning, key, "contradicts DBusActivatable",
        "it was ignored: the application gets URLs by org.freedesktop.Application; remove one of the"
          + " keys")
      return nil
    }
    switch program(context) {
    case .arguments(let arguments):
      return .arguments(
        DesktopBridge.command(for: identifier.text, entry, program: arguments))
    case .missing:
      return .arguments(DesktopBridge.command(for: identifier.text, entry, program: []))
    case .executable:
      context.report(
        .warning, key, "needs ProgramArguments, not CFBundleExecutable",
        "it was ignored: write the command line that takes a URL at its end into ProgramArguments")
      return nil
    }
  }
}
