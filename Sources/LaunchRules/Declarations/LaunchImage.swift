/// The image that iOS showed while an application was launched for a URL (R1.41).
package enum LaunchImage {
  /// `UILaunchImageFile` of an application that does not have the key.
  package static let usualName = "Default"

  /// The names of its file, best first: that of the scheme, then that of any launch. There is no
  /// screen to know a scale of, so the plain one goes first. Orientation and device are not known
  /// either.
  package static func names(basename: String, scheme: URLScheme) -> [String] {
    ["\(basename)-\(scheme)", basename].flatMap { name in
      ["", "@2x", "@3x"].map { "\(name)\($0).png" }
    }
  }
}
