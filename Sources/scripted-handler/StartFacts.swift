internal import FoundationEssentials
internal import Glibc
internal import LaunchServicesTesting

extension StartFacts {
  static func ofThisProcess() -> StartFacts {
    let descriptors = Socket.openDescriptors()
    let streams = (0...2).map { number in
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")) ?? ""
    }
    let status = String(
      decoding: FileManager.default.contents(atPath: "/proc/self/status") ?? Data(), as: UTF8.self)
    func field(_ name: String) -> String {
      let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
      return line?.split(separator: "\t").last.map(String.init) ?? ""
    }
    return StartFacts(
      arguments: Array(CommandLine.arguments.dropFirst()),
      environment: ProcessInfo.processInfo.environment,
      workingDirectory: FileManager.default.currentDirectoryPath, descriptors: descriptors,
      streams: streams,
      blockedSignals: field("SigBlk"), ignoredSignals: field("SigIgn"), processGroup: getpgrp())
  }
}
