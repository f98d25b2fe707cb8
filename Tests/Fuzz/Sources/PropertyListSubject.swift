internal import LaunchRules
internal import PropertyLists

/// `Info.plist`, entitlements and `InfoPlist.strings`: XML, binary and old style.
enum PropertyListSubject {
  static func take(_ input: [UInt8]) {
    let reading = InfoPropertyList.read(
      input, at: BundleLocation(propertyList: "/applications/Fuzz.app/Info.plist"))
    precondition(
      reading.declaration != nil || !reading.diagnostics.isEmpty,
      "nothing was read, and nothing says why")
    precondition(reading.diagnostics.count <= 1000, "more diagnostics than a person would read")
    _ = reading.diagnostics.map(\.logLine)
    _ = Entitlements(input, at: "/applications/Fuzz.entitlements")
    _ = StringsFile(input, at: "/applications/Fuzz.app/en.lproj/InfoPlist.strings")
  }
}
