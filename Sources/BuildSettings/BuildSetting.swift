/// The place that gives a build setting its value.
package struct SettingSource: Hashable, Sendable, CustomStringConvertible {
  /// The path of the file, or the name of another source, such as `--define`.
  package let file: String
  /// From 1; nil when the source has no lines, or when the line was not found.
  package let line: Int?

  package init(_ file: String, line: Int? = nil) {
    self.file = file
    self.line = line
  }

  /// Whether the source is an option of a command line.
  var isOption: Bool { file.hasPrefix("--") }

  package var description: String { line.map { "\(file):\($0)" } ?? file }
}

/// One assignment to a build setting, as written: `NAME[CONDITION]... = VALUE`.
package struct SettingAssignment: Hashable, Sendable {
  package let name: String
  package let conditions: [SettingCondition]
  /// With references to other settings, which are not expanded.
  package let value: String
  package let source: SettingSource

  package init(
    _ name: String, _ value: String, conditions: [SettingCondition] = [], source: SettingSource
  ) {
    self.name = name
    self.conditions = conditions
    self.value = value
    self.source = source
  }
}

/// A condition such as `sdk=iphoneos*`.
package struct SettingCondition: Hashable, Sendable {
  package let key: String
  /// The value, in which `*` stands for any text.
  package let pattern: String

  package init(_ key: String, _ pattern: String) {
    self.key = key
    self.pattern = pattern
  }

  func holds(in build: BuildKind) -> Bool {
    switch key {
    case "sdk": Self.matches(pattern, build.sdk)
    case "arch": Self.matches(pattern, build.architecture)
    case "config": Self.matches(pattern, build.configuration)
    case "variant": Self.matches(pattern, build.variant)
    default: false
    }
  }

  static func matches(_ pattern: String, _ text: String) -> Bool {
    let parts = pattern.split(separator: "*", omittingEmptySubsequences: false)
    guard parts.count > 1 else { return pattern == text }
    guard text.hasPrefix(parts[0]) else { return false }
    var rest = text.dropFirst(parts[0].count)
    for part in parts.dropFirst().dropLast() where !part.isEmpty {
      guard let range = rest.firstRange(of: part) else { return false }
      rest = rest[range.upperBound...]
    }
    return rest.hasSuffix(parts[parts.count - 1])
  }
}

/// The build whose settings are computed. Conditions compare with it.
package struct BuildKind: Hashable, Sendable {
  /// Such as `iphonesimulator`, `iphonesimulator18.0` or `macosx`.
  package var sdk: String
  package var configuration: String
  package var architecture = "arm64"
  package var variant = "normal"

  package init(sdk: String, configuration: String) {
    self.sdk = sdk
    self.configuration = configuration
  }

  /// The SDK that a build for the simulator uses where the project names the SDK for devices.
  package static func simulatorSDK(of sdk: String) -> String {
    let device = "iphoneos"
    return sdk.hasPrefix(device) ? "iphonesimulator" + sdk.dropFirst(device.count) : sdk
  }
}

/// A remark about a file of build settings. It prevents nothing: a variable that stays without a value because of it is
/// reported where the variable is used.
package struct SettingProblem: Hashable, Sendable, CustomStringConvertible {
  package let source: SettingSource
  /// A sentence without its full stop.
  package let text: String

  package init(_ source: SettingSource, _ text: String) {
    self.source = source
    self.text = text
  }

  package var description: String { "\(source): \(text)" }
}

/// The reason why no build settings could be computed: a sentence without its full stop.
package struct SettingsFailure: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String
  /// Whether a file that was named does not exist.
  package let isMissingFile: Bool

  package init(_ description: String, isMissingFile: Bool = false) {
    self.description = description
    self.isMissingFile = isMissingFile
  }
}
