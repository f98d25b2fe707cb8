internal import FoundationEssentials
internal import PropertyLists

/// The contents of `project.pbxproj`, as far as build settings need them.
struct ProjectFile: Decodable {
  let rootObject: String
  let objects: [String: ProjectObject]

  /// - Parameter path: the path of the file, for failures.
  init(_ bytes: [UInt8], at path: String) throws(SettingsFailure) {
    do throws(AdmittedPropertyList.Unreadable) {
      self = try AdmittedPropertyList.decodeProject(Self.self, from: bytes)
    } catch {
      throw SettingsFailure(
        "\(path) is not the file of an Xcode project: \(error.description)")
    }
  }

  subscript(id: String?) -> ProjectObject? { id.flatMap { objects[$0] } }
}

/// One object of a project. Each kind of object has some of the keys; a value of another type counts as missing.
struct ProjectObject: Decodable {
  let isa: String
  private(set) var name: String?
  private(set) var path: String?
  private(set) var sourceTree: String?
  private(set) var productType: String?
  private(set) var mainGroup: String?
  private(set) var projectDirPath: String?
  private(set) var developmentRegion: String?
  private(set) var targets: [String] = []
  private(set) var children: [String] = []
  private(set) var buildConfigurationList: String?
  private(set) var buildConfigurations: [String] = []
  private(set) var defaultConfigurationName: String?
  private(set) var baseConfigurationReference: String?
  private(set) var baseConfigurationAnchor: String?
  private(set) var baseConfigurationRelativePath: String?
  private(set) var buildSettings: [String: Value] = [:]

  /// A text, or an array of texts, which a build joins with blanks.
  struct Value: Decodable {
    let text: String

    init(from decoder: any Decoder) throws {
      if let text = try? decoder.singleValueContainer().decode(String.self) {
        self.text = text
      } else {
        text = try [String](from: decoder).joined(separator: " ")
      }
    }
  }

  private enum Key: String, CodingKey {
    case isa, name, path, sourceTree, productType, mainGroup, projectDirPath, developmentRegion
    case targets, children, buildConfigurationList, buildConfigurations, defaultConfigurationName
    case baseConfigurationReference, buildSettings
    case baseConfigurationAnchor = "baseConfigurationReferenceAnchor"
    case baseConfigurationRelativePath = "baseConfigurationReferenceRelativePath"
  }

  /// The kinds of objects whose other keys are read. A project has many more, such as build files.
  private static let kinds = [
    "PBXProject", "PBXNativeTarget", "PBXGroup", "PBXVariantGroup", "XCVersionGroup",
    "PBXFileReference", "PBXFileSystemSynchronizedRootGroup", "XCConfigurationList",
    "XCBuildConfiguration",
  ]

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    func read<Content: Decodable>(_ key: Key) -> Content? {
      try? container.decodeIfPresent(Content.self, forKey: key)
    }
    isa = read(.isa) ?? ""
    guard Self.kinds.contains(isa) else { return }
    name = read(.name)
    path = read(.path)
    sourceTree = read(.sourceTree)
    productType = read(.productType)
    mainGroup = read(.mainGroup)
    projectDirPath = read(.projectDirPath)
    developmentRegion = read(.developmentRegion)
    targets = read(.targets) ?? []
    children = read(.children) ?? []
    buildConfigurationList = read(.buildConfigurationList)
    buildConfigurations = read(.buildConfigurations) ?? []
    defaultConfigurationName = read(.defaultConfigurationName)
    baseConfigurationReference = read(.baseConfigurationReference)
    baseConfigurationAnchor = read(.baseConfigurationAnchor)
    baseConfigurationRelativePath = read(.baseConfigurationRelativePath)
    buildSettings = read(.buildSettings) ?? [:]
  }
}
