/// The image that iOS shows while an application is launched for a URL (R1.41).
package enum LaunchImage {
  /// The default of `UILaunchImageFile`.
  package static let usualName = "Default"

  /// The possible file names, best first: for the scheme as in the URL, as in the property list, and in lower case, then
  /// for any launch. Without a screen there is no height, orientation, scale or device, so names without
  /// modifiers come first.
  /// - Parameter spelling: the spelling of the scheme in the property list; nil for lower case.
  package static func names(
    basename: String, scheme: String, spelling: String? = nil
  ) -> [String] {
    let name = withoutSuffix(basename)
    var schemes: [String] = []
    for one in [scheme, spelling, scheme.lowercased()].compactMap(\.self)
    where !schemes.contains(one) {
      schemes.append(one)
    }
    return schemes.flatMap { modified("\(name)-\($0)") } + names(basename: basename)
  }

  /// The possible file names for any launch, best first.
  static func names(basename: String) -> [String] { modified(withoutSuffix(basename)) }

  private static func modified(_ start: String) -> [String] {
    modifiers.map { start + $0 + suffix }
  }

  static let suffix = ".png"

  /// The base name without the suffix that `UILaunchImageFile` may have.
  static func withoutSuffix(_ basename: String) -> String {
    basename.lowercased().hasSuffix(suffix) ? String(basename.dropLast(suffix.count)) : basename
  }

  /// The combinations of modifiers in the order of file names: height, orientation, scale, device.
  private static let modifiers: [String] = {
    let orientations = [
      "", "-Portrait", "-Landscape", "-PortraitUpsideDown", "-LandscapeLeft", "-LandscapeRight",
    ]
    let parts = [["", "-568h"], orientations, ["", "@2x", "@3x"], ["", "~iphone", "~ipad"]]
    return parts.reduce([""]) { starts, part in starts.flatMap { start in part.map { start + $0 } }
    }
  }()
}
