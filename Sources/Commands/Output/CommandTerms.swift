extension String {
  /// A sentence of the daemon, with its option names replaced by those of the command line.
  package var inCommandTerms: String {
    let spellings = [
      "as": "--as", "application": "--application", "request-id": "--request-id",
      "interactive": "--no-ask", "on": "--on", "new-instance": "--new", "environment": "--env",
      "arguments": "--args", "waits-for-exit": "--wait-apps", "stdin": "--stdin",
      "stdout": "--stdout", "stderr": "--stderr", "hidden": "--hide", "fresh": "--fresh",
      "universal-links-only": "--universal-links-only",
    ]
    var parts = split(separator: "'", omittingEmptySubsequences: false).map(String.init)
    for index in parts.indices.dropFirst() where parts[index - 1].hasSuffix("option ") {
      parts[index] = spellings[parts[index]] ?? parts[index]
    }
    let sentence = parts.joined(separator: "'")
    // The names of operands that the user writes without a name.
    for name in ["bundle_id: ", "option 'bundle-identifier': "] where sentence.hasPrefix(name) {
      return String(sentence.dropFirst(name.count))
    }
    return sentence
  }
}
