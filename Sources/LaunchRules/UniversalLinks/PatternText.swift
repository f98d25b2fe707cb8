extension AssociationFile {
  /// The positions of the components for an application, and their patterns as text.
  package func patterns(of application: LinkedApplication) -> [(String, String)] {
    details.enumerated().filter { $1.applications.contains(application) }
      .flatMap { detailIndex, detail in
        detail.components.enumerated().map { index, component in
          let place = LinkMatch.Place(
            detail: detailIndex, component: index, isOfPaths: component.isOfPaths)
          return (place.keyPath, component.description)
        }
      }
  }
}

extension AssociationFile.Component: CustomStringConvertible {
  /// The patterns, unchanged.
  package var description: String {
    var parts = path.map { ["/ \($0.text)"] } ?? []
    switch query {
    case nil: break
    case .whole(let pattern)?: parts.append("? \(pattern.text)")
    case .items(let items)?: parts += items.map { "?\($0.name)= \($0.pattern.text)" }
    }
    if let fragment { parts.append("# \(fragment.text)") }
    let text = parts.isEmpty ? "anything" : parts.joined(separator: ", ")
    return excludes ? "exclude \(text)" : text
  }
}
