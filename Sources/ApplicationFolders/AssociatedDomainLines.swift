internal import Host
package import LaunchRules
package import PropertyLists

/// The lines at which a property list or entitlements name associated domains, for annotations.
package enum AssociatedDomainLines {
  /// The domains for `applinks`, in the order of the file. None for a binary file.
  /// - Parameter path: the absolute path of a file.
  package static func read(
    _ path: String, _ variables: BuildVariables
  ) -> [(domain: WebHost, line: Int)] {
    guard let bytes = try? RegularFile.read(path, atMost: InfoPropertyList.largestSize).bytes,
      let list = try? AdmittedPropertyList.decode(Domains.self, from: bytes)
    else { return [] }
    let lines = PropertyListLines(bytes)
    return list.entries.enumerated().compactMap { index, text in
      guard let domain = (try? AssociatedDomain.read(variables.expand(text).text))?.domain,
        let line = lines.line(of: "\(AssociatedDomain.entitlement)[\(index)]")
      else { return nil }
      return (domain, line)
    }
  }

  private struct Domains: Decodable {
    let entries: [String]

    private struct Key: CodingKey {
      var stringValue: String { AssociatedDomain.entitlement }
      var intValue: Int? { nil }
      init() {}
      init?(stringValue: String) { nil }
      init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
      entries = try decoder.container(keyedBy: Key.self).decode([String].self, forKey: Key())
    }
  }
}
