import LaunchRules
import PropertyLists

/// Reads the inside of the top `<dict>`, as a bundle of the iOS layout unless said otherwise.
func read(
  _ keys: String, at path: String = "/apps/My.app/Info.plist", variables: BuildVariables = .none
) -> PropertyListReading {
  InfoPropertyList.read(
    Array(document(keys).utf8), at: BundleLocation(propertyList: path), variables: variables)
}

/// The same, for an application with the identifier `com.example.app`.
func readApplication(
  _ keys: String, at path: String = "/apps/My.app/Info.plist", variables: BuildVariables = .none
) -> PropertyListReading {
  read(
    "<key>CFBundleIdentifier</key><string>com.example.app</string>" + keys, at: path,
    variables: variables)
}

func document(_ keys: String) -> String {
  """
  <?xml version="1.0" encoding="UTF-8"?>
  <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
  <plist version="1.0"><dict>\(keys)</dict></plist>
  """
}

func readBytes(_ bytes: [UInt8]) -> PropertyListReading {
  InfoPropertyList.read(bytes, at: BundleLocation(propertyList: "/apps/My.app/Info.plist"))
}

extension PropertyListReading {
  /// The diagnostics without the file, one per line: `severity keyPath: problem; consequence`.
  var report: [String] {
    diagnostics.map { "\($0.severity.rawValue) \($0.keyPath): \($0.problem); \($0.consequence)" }
  }
}
