import BuildSettings

/// Files in memory.
func files(_ contents: [String: String]) -> SettingFiles {
  SettingFiles { path, limit throws(SettingFiles.Problem) in
    guard let text = contents[path] else { throw .missing }
    let bytes = Array(text.utf8)
    guard bytes.count <= limit else { throw .unreadable("\(path) is too large") }
    return bytes
  }
}

extension XCConfig {
  /// The assignments as text, one per line.
  var lines: [String] {
    assignments.map { assignment in
      let conditions = assignment.conditions.map { "[\($0.key)=\($0.pattern)]" }.joined()
      return "\(assignment.source) \(assignment.name)\(conditions) = \(assignment.value)"
    }
  }
}

func simulator(_ configuration: String = "Debug") -> BuildKind {
  BuildKind(sdk: "iphonesimulator18.0", configuration: configuration)
}

/// A project with one application target `App`, in the layout that Xcode writes.
func project(
  _ projectSettings: String = "", _ targetSettings: String = "", base: String = "",
  others: String = "", targets: String = "T1 /* App */,"
) -> String {
  """
  // !$*UTF8*$!
  {
  \tarchiveVersion = 1;
  \tobjectVersion = 56;
  \tobjects = {
  \t\tG0 = {isa = PBXGroup; children = (G1, ); sourceTree = "<group>"; };
  \t\tG1 /* Config */ = {
  \t\t\tisa = PBXGroup;
  \t\t\tchildren = (
  \t\t\t\tF1 /* App.xcconfig */,
  \t\t\t);
  \t\t\tpath = Config;
  \t\t\tsourceTree = "<group>";
  \t\t};
  \t\tF1 /* App.xcconfig */ = {isa = PBXFileReference; path = App.xcconfig; sourceTree = "<group>"; };
  \t\tP1 /* Project object */ = {
  \t\t\tisa = PBXProject;
  \t\t\tbuildConfigurationList = L0;
  \t\t\tdevelopmentRegion = en;
  \t\t\tmainGroup = G0;
  \t\t\tprojectDirPath = "";
  \t\t\ttargets = (
  \t\t\t\t\(targets)
  \t\t\t);
  \t\t};
  \t\tT1 /* App */ = {
  \t\t\tisa = PBXNativeTarget;
  \t\t\tbuildConfigurationList = L1;
  \t\t\tname = App;
  \t\t\tproductType = "com.apple.product-type.application";
  \t\t};
  \(others)
  \t\tL0 = {
  \t\t\tisa = XCConfigurationList;
  \t\t\tbuildConfigurations = (C0, );
  \t\t\tdefaultConfigurationName = Debug;
  \t\t};
  \t\tL1 = {
  \t\t\tisa = XCConfigurationList;
  \t\t\tbuildConfigurations = (C1, );
  \t\t\tdefaultConfigurationName = Debug;
  \t\t};
  \t\tC0 /* Debug */ = {
  \t\t\tisa = XCBuildConfiguration;
  \t\t\tbuildSettings = {
  \t\t\t\tSDKROOT = iphoneos;
  \t\t\t\t\(projectSettings)
  \t\t\t};
  \t\t\tname = Debug;
  \t\t};
  \t\tC1 /* Debug */ = {
  \t\t\tisa = XCBuildConfiguration;
  \t\t\t\(base)
  \t\t\tbuildSettings = {
  \t\t\t\tINFOPLIST_FILE = App/Info.plist;
  \t\t\t\t\(targetSettings)
  \t\t\t};
  \t\t\tname = Debug;
  \t\t};
  \t};
  \trootObject = P1 /* Project object */;
  }
  """
}
