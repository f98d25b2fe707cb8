internal import Host
internal import PropertyLists

/// Reads `config.plist`. An invalid value affects its own key only.
package struct SettingsFile: Sendable {
  package private(set) var settings = Settings()
  package private(set) var problems: [SettingsProblem] = []

  /// A missing file is equivalent to an empty dictionary.
  package init(path: String) {
    guard FileIdentity(path: path) != nil else { return }
    do throws(FileError) {
      read(try RegularFile.read(path, atMost: 1 << 20).bytes)
    } catch {
      problems = [.unusable(error.description)]
    }
  }

  package init(bytes: [UInt8]) { read(bytes) }

  private mutating func read(_ bytes: [UInt8]) {
    do throws(AdmittedPropertyList.Unreadable) {
      let contents = try AdmittedPropertyList.decode(Contents.self, from: bytes).value
      if case .dictionary = contents {
        problems = SettingsTable.file.read(contents, at: "", into: &settings)
      } else {
        problems = [.unusable("the property list is \(contents.shown), not a dictionary")]
      }
    } catch {
      problems = [.unusable(error.description)]
    }
  }

  /// The values of known keys; other keys are not read.
  private struct Contents: Decodable {
    let value: SettingValue

    init(from decoder: any Decoder) throws {
      guard let container = try? decoder.container(keyedBy: AnyKey.self) else {
        value = try SettingValue(from: decoder)
        return
      }
      let known = Set(SettingsTable.file.members.map(\.key))
      var entries: [String: SettingValue] = [:]
      for key in container.allKeys {
        let isKnown = known.contains(key.stringValue)
        entries[key.stringValue] = isKnown ? container.value(key) : .other("a value")
      }
      value = .dictionary(entries)
    }
  }
}
