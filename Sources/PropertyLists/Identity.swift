internal import LaunchRules

/// Reads the identity of the application: `CFBundleIdentifier`, `CFBundleVersion` and the team.
extension LenientDictionary {
  /// Nil after an error in the diagnostics.
  func identifier(_ context: ReadingContext) -> BundleIdentifier? {
    let key = "CFBundleIdentifier"
    func refuse(_ problem: String, _ advice: String) -> BundleIdentifier? {
      context.report(.error, key, problem, "the application was not registered: \(advice)")
      return nil
    }
    let example = "such as com.example.app"
    let generated = contains(key) ? nil : generatedText(key)
    guard contains(key) || generated != nil else {
      return refuse("is missing", "give it an identifier, \(example)")
    }
    guard let expansion = generated ?? value(key)?.text() else {
      return refuse("contains no text", "give it an identifier, \(example)")
    }
    let text = expansion.text
    guard expansion.unresolved.isEmpty else {
      return refuse("\(text.quoted) contains \(expansion.unresolvedPhrase)", expansion.remedy)
    }
    if let identifier = BundleIdentifier.declared(text) { return identifier }
    if text.isEmpty { return refuse("is empty", "give it an identifier, \(example)") }
    if let template = text.unfilledTemplate {
      return refuse(
        "\(text.quoted) contains the unfilled placeholder \(template.quoted)",
        "put the identifier in its place")
    }
    if text.utf8.count > BundleIdentifier.longest {
      return refuse(
        "is \(text.utf8.count) characters long", "shorten it to \(BundleIdentifier.longest)")
    }
    return refuse(
      "\(text.quoted) is not an identifier",
      "use only the letters a to z, digits, \"-\" and \".\", \(example) (R1.9)")
  }

  func bundleVersion(_ context: ReadingContext) -> BundleVersion {
    guard let text = text("CFBundleVersion") else { return BundleVersion(0) }
    if text.utf8.first?.isASCIIDigit != true {
      context.report(
        .warning, "CFBundleVersion", "\(text.quoted) does not begin with a number",
        "it was read as version 0: write up to three numbers, such as 1.2.3 (R1.15)")
    }
    return BundleVersion(text)
  }

  /// The value counts only for an identifier that is a valid bus name.
  func isDBusActivatable(_ context: ReadingContext, _ identifier: BundleIdentifier?) -> Bool {
    let key = "DBusActivatable"
    guard truth(key), let identifier else { return false }
    if identifier.isBusName { return true }
    context.report(
      .warning, key, "\(identifier.text.quoted) cannot be a bus name",
      "it was read as false: use an identifier of at least two parts, none of which is empty or"
        + " begins with a digit, such as com.example.app")
    return false
  }

  /// `LSBackgroundOnly` takes precedence over `LSUIElement` (R1.30, R1.31).
  var activationPolicy: ActivationPolicy {
    let isAccessory = truth("LSUIElement")
    return truth("LSBackgroundOnly") ? .prohibited : isAccessory ? .accessory : .regular
  }

  /// The team of the build, or else the value of the first team key with a valid team.
  func team(_ context: ReadingContext) -> String? {
    if let team = context.variables.value(BuildVariableName.team), team.isTeam { return team }
    for key in ["AppIdentifierPrefix", "TeamIdentifier", "com.apple.developer.team-identifier"] {
      guard var team = text(key) else { continue }
      if team.hasSuffix(".") { team.removeLast() }
      if team.isTeam { return team }
      context.report(
        .warning, path(of: key), "\(team.quoted) is not a team",
        "it was ignored: write its letters and digits, such as ABCDE12345")
    }
    return nil
  }
}

extension String {
  /// Whether the text consists of letters and digits.
  var isTeam: Bool { !isEmpty && utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit } }
}
