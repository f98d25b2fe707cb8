/// The single-instance plugin of Tauri: a second process calls `ExecuteCallback` of the first, which answers before it
/// handles the command line.
enum TauriInstance {
  private static let interface = "org.SingleInstance.DBus"

  /// One call for each object path that a version of the plugin uses. Empty for a command line with more than the program
  /// and the URL, which the deep-link plugin does not read.
  static func requests(
    for subject: HandOverProtocol.Subject, to name: String
  ) -> [BusRequest] {
    guard let commandLine = subject.commandLine, commandLine.count == 2 else { return [] }
    return paths(of: name).map {
      BusRequest(
        $0, interface, "ExecuteCallback", [.strings(commandLine), .string(subject.folder)])
    }
  }

  /// Version 1 and current versions replace each `.` of the name by `/`; some versions between write the identifier as
  /// one element.
  private static func paths(of name: String) -> [String] {
    let path = BusRequest.path(of: name)
    guard let dot = name.lastIndex(of: ".") else { return [path] }
    let identifier = name[..<dot].map { ".-".contains($0) ? "_" : $0 }
    let older = "/" + String(identifier) + "/" + name[name.index(after: dot)...]
    return path == older ? [path] : [path, older]
  }

  /// - Parameter step: 0 for the first object path.
  static func verdict(on answer: BusAnswer, to step: Int) -> HandOverProtocol.Verdict {
    let verdict = HandOverProtocol.verdict(on: answer, taken: .handedOver)
    return verdict == .notTaken && step == 0 ? .proceed : verdict
  }
}
