internal import LaunchRules

/// The location of a property list, and the properties of the application that follow from it.
package struct BundleLocation: Hashable, Sendable {
  /// The absolute path of the property list.
  package let propertyList: String
  /// `NAME.app`, or the folder of a loose property list.
  package let folder: String
  package let layout: Layout

  package enum Layout: Hashable, Sendable, CaseIterable {
    /// `NAME.app/Info.plist`
    case iOS
    /// `NAME.app/Contents/Info.plist`
    case macOS
    /// Any other place, such as `NAME.plist`.
    case loose
  }

  /// - Parameter propertyList: the absolute path; the file need not exist.
  package init(propertyList: String) {
    self.propertyList = propertyList
    let parent = propertyList.parentFolder
    let mayBeInBundle = propertyList.lastComponent == "Info.plist"
    if mayBeInBundle, parent.isBundlePath {
      (folder, layout) = (parent, .iOS)
    } else if mayBeInBundle, parent.lastComponent == "Contents", parent.parentFolder.isBundlePath {
      (folder, layout) = (parent.parentFolder, .macOS)
    } else {
      (folder, layout) = (parent, .loose)
    }
  }

  /// The folder of the property list: `folder`, or `Contents` in the macOS layout.
  var propertyListFolder: String { propertyList.parentFolder }

  /// The folder of the folders `LANGUAGE.lproj`. Nil for a loose property list, which shares its folder with
  /// other files.
  package var localizationsFolder: String? {
    switch layout {
    case .iOS: folder
    case .macOS: folder.appending(component: "Contents/Resources")
    case .loose: nil
    }
  }

  /// The possible paths of the entitlements, all beside the property list, highest precedence first. The
  /// archived file is not searched for a loose property list, which shares its folder with other files.
  package var entitlementsFiles: [String] {
    let base = layout == .loose ? propertyList.lastComponent : folder.lastComponent
    let name = base.utf8.lastIndex(of: UInt8(ascii: ".")).map { base[..<$0] } ?? base
    let names = [String(name) + EntitlementsFileName.suffix]
    return ((layout == .loose ? [] : [EntitlementsFileName.archived]) + names).map {
      propertyListFolder.appending(component: $0)
    }
  }

  /// The path of the entitlements that the build variables name; nil for none.
  package func entitlementsFile(_ variables: BuildVariables) -> String? {
    guard let path = variables.value(BuildVariableName.entitlements) else { return nil }
    if path.hasPrefix("/") { return path }
    let root = variables.value(BuildVariableName.sourceRoot) ?? propertyListFolder
    return root.appending(component: path)
  }

  /// The possible paths of `CFBundleExecutable`, highest precedence first.
  ///
  /// A macOS bundle for both systems has its Linux program in `Contents/Linux`; the program in
  /// `Contents/MacOS` then cannot run here, so it comes second.
  func candidates(forExecutable name: String) -> [String] {
    switch layout {
    case .iOS, .loose: [folder.appending(component: name)]
    case .macOS:
      ["Contents/Linux/", "Contents/MacOS/"].map { folder.appending(component: $0 + name) }
    }
  }
}

extension String {
  fileprivate var isBundlePath: Bool {
    lastComponent.hasSuffix(".app") && lastComponent != ".app"
  }

  fileprivate var lastComponent: Substring {
    let path = self[...].withoutLastSlashes
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path }
    return path[path.utf8.index(after: slash)...]
  }

  fileprivate var parentFolder: String {
    let path = self[...].withoutLastSlashes
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "" }
    let parent = path[..<slash].withoutLastSlashes
    return parent.isEmpty ? "/" : String(parent)
  }

  func appending(component: String) -> String {
    hasSuffix("/") || isEmpty ? self + component : self + "/" + component
  }
}

extension Substring {
  fileprivate var withoutLastSlashes: Substring {
    var end = endIndex
    while end > startIndex, utf8[utf8.index(before: end)] == UInt8(ascii: "/") {
      end = utf8.index(before: end)
    }
    return self[..<end]
  }
}
