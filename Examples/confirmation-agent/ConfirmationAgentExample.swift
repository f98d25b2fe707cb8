import Foundation
import LaunchServices

/// An agent for machines without a user: allows only the schemes on its command line.
///
/// Usage: confirmation-agent SCHEME...
@main enum ConfirmationAgentExample {
  @MainActor static func main() {
    let allowed = Set(CommandLine.arguments.dropFirst().map { $0.lowercased() })
    let reason = ConfirmationAgent.run { question in
      let isAllowed = allowed.contains(question.scheme)
      print("\(question.sentence) \(isAllowed ? "yes" : "no")")
      return isAllowed ? .allow : .deny
    }
    FileHandle.standardError.write(Data("confirmation-agent: \(reason)\n".utf8))
    exit(1)
  }
}
