internal import LaunchRules

/// The stored choices of the user about links, by application and domain.
nonisolated struct LinkChoiceState: Codable, Sendable {
  var choices: [String: [String: String]] = [:]

  init(_ choices: LinkChoices) {
    for (key, choice) in choices.choices {
      self.choices[key.application.text, default: [:]][key.domain.text] = choice.rawValue
    }
  }

  var value: LinkChoices {
    var value = LinkChoices()
    for (application, domains) in choices {
      for (domain, choice) in domains where value.choices.count < LinkChoices.most {
        guard let application = BundleIdentifier(application), let domain = WebHost(domain) else {
          continue
        }
        value[application, domain] = LinkChoice(rawValue: choice)
      }
    }
    return value
  }
}
