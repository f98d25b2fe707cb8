internal import BuildSettings
internal import Commands
internal import LaunchRules
internal import Reports

/// The options of `lsregister lint`.
struct LintOptions: Equatable {
  var usesRegistry = false
  var isStrict = false
  var showsBuildSettings = false
  var format = LintFormat.text
}

/// The form of the findings of a check.
enum LintFormat: Equatable {
  case text, json
  case report(ReportFormat)

  init(option text: String) throws(CommandFailure) {
    switch text {
    case "text": self = .text
    case "json": self = .json
    default:
      guard let format = ReportFormat(rawValue: text) else {
        throw .usage("option '--format' takes text, json, junit, tap or github, not '\(text)'")
      }
      self = .report(format)
    }
  }
}

extension BuildRequest {
  /// Takes an option of the command line. The paths are unchanged.
  mutating func take(_ flag: RegisterFlag, _ value: String) throws(CommandFailure) {
    if value.isEmpty { throw .usage("option '\(flag.name)' has an empty value") }
    do throws(InvalidOption) {
      switch flag {
      case .team: return try takeTeam(value)
      case .sdk: return try takeSDK(value)
      case .platform: return try takePlatform(value)
      default: break
      }
    } catch {
      throw .usage(error.sentence)
    }
    switch flag {
    case .define:
      guard let (name, value) = splitDefinition(value) else {
        throw .usage("option '--define' needs NAME=VALUE, not '\(value)'")
      }
      definitions[name] = value
    case .xcconfig: configFiles.append(value)
    case .xcode: project = value
    case .target: target = value
    case .configuration: configuration = value
    default: break
    }
  }
}
