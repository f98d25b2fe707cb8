/// The image that iOS showed while an application was launched for a URL (R1.41).
package enum LaunchImage {
  /// `UILaunchImageFile` of an application that does not have the key.
  package static let usualName = "Default"

  /// The names of its file, best first: that of the scheme, as the URL has it and in lower case, then that of any
  /// launch. There is no screen to know a height, an orientation, a scale or a device of, so the plain one goes first.
  package static func names(basename: String, scheme: String) -> [String] {
    let suffix = ".png"
    let name =
      basename.lowercased().hasSuffix(suffix)
      ? String(basename.dropLast(suffix.count)) : basename
    let schemes = scheme == scheme.lowercased() ? [scheme] : [scheme, scheme.lowercased()]
    return (schemes.map { "\(name)-\($0)" } + [name]).flatMap { start in
      modifiers.map { start + $0 + suffix }
    }
  }

  /// In the order in which a name has them: height, orientation, scale, device.
  private static let modifiers: [String] = {
    let orientations = [
      "", "-Portrait", "-Landscape", "-PortraitUpsideDown", "-LandscapeLeft", "-LandscapeRight",
    ]
    let parts = [["", "-568h"], orientations, ["", "@2x", "@3x"], ["", "~iphone", "~ipad"]]
    return parts.reduce([""]) { starts, part in starts.flatMap { start in part.map { start + $0 } }
    }
  }()
}
