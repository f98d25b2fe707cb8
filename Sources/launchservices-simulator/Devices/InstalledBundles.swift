internal import Foundation
internal import LaunchServicesTesting
internal import StubApplications

/// An application that was installed in a device.
struct InstalledBundle {
  /// The folder of the bundle: `…/Containers/Bundle/Application/UUID/NAME.app`.
  let path: String
  let keys: [String: Any]

  var identifier: String { keys["CFBundleIdentifier"] as? String ?? "" }
  /// The folder with the UUID.
  var container: String { (path as NSString).deletingLastPathComponent }

  /// Nil without a readable property list.
  init?(path: String) {
    guard let bytes = try? Data(contentsOf: URL(filePath: path + "/Info.plist")),
      let list = unsafe try? PropertyListSerialization.propertyList(from: bytes, format: nil),
      let keys = list as? [String: Any]
    else { return nil }
    self.path = path
    self.keys = keys
  }
}

extension Device {
  private var bundles: String { dataPath + "/Containers/Bundle/Application" }

  /// Sorted by identifier.
  var installed: [InstalledBundle] {
    let files = FileManager.default
    let containers = (try? files.contentsOfDirectory(atPath: bundles)) ?? []
    return containers.flatMap { container in
      ((try? files.contentsOfDirectory(atPath: "\(bundles)/\(container)")) ?? [])
        .filter { $0.hasSuffix(".app") }
        .compactMap { InstalledBundle(path: "\(bundles)/\(container)/\($0)") }
    }
    .sorted { $0.identifier < $1.identifier }
  }

  func installed(_ identifier: String) -> InstalledBundle? {
    installed.first { $0.identifier.lowercased() == identifier.lowercased() }
  }

  /// The folder for the files of an application.
  func dataContainer(of identifier: String) -> String {
    dataPath + "/Containers/Data/Application/" + identifier
  }

  /// Copies a bundle into the device, in place of an earlier copy, and registers it.
  func install(_ path: String, _ boot: Boot) throws(SimulatorFailure) {
    let domain = "IXErrorDomain"
    var isFolder: ObjCBool = false
    let exists = unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
    guard exists else {
      throw SimulatorFailure(
        domain: domain, code: 2,
        sentences: ["An application bundle was not found at the provided path.", path])
    }
    guard isFolder.boolValue, let bundle = InstalledBundle(path: path) else {
      throw SimulatorFailure(
        domain: domain, code: 13,
        sentences: [
          "Simulator device failed to install the application.",
          "\(path) is not the bundle of an iOS application: it has no readable Info.plist.",
        ])
    }
    guard !bundle.identifier.isEmpty else {
      throw SimulatorFailure(
        domain: domain, code: 13,
        sentences: [
          "Simulator device failed to install the application.", "Missing bundle ID.",
        ])
    }
    _ = try uninstall(bundle.identifier, boot, keepingData: true)
    let container = bundles + "/" + UUID().uuidString
    let copy = container + "/" + (path as NSString).standardizingPath.lastPathComponent
    let registered: String
    do {
      for folder in [container, dataContainer(of: bundle.identifier)] {
        try FileManager.default.createDirectory(
          atPath: folder, withIntermediateDirectories: true)
      }
      try FileManager.default.copyItem(atPath: path, toPath: copy)
      registered = try programmed(copy, in: container)
    } catch {
      throw .machine("\(path) cannot be copied: \(error)")
    }
    let ending = Tool.run("lsregister", ["add", "--json", registered], environment(boot))
    guard ending.status == 0 else {
      try? FileManager.default.removeItem(atPath: container)
      throw SimulatorFailure(
        domain: domain, code: 13,
        sentences: [
          "Simulator device failed to install the application.",
          ending.error.trimmingCharacters(in: .newlines),
        ])
    }
  }

  /// The bundle itself when its program runs on Linux; otherwise a property list beside it whose program is the
  /// stand-in of the test kit, which prints what it gets.
  private func programmed(_ path: String, in container: String) throws -> String {
    guard let bundle = InstalledBundle(path: path) else { return path }
    if bundle.keys["ProgramArguments"] != nil { return path }
    let program = path + "/" + (bundle.keys["CFBundleExecutable"] as? String ?? "")
    if bundle.keys["CFBundleExecutable"] != nil, Self.runsOnLinux(program) { return path }
    var keys = bundle.keys
    keys["CFBundleExecutable"] = nil
    keys["ProgramArguments"] =
      StubPropertyList(
        program: try Programs.find(StubPropertyList.program)
      ).arguments
    let name = (path as NSString).lastPathComponent.dropLast(".app".count)
    let list = "\(container)/\(name).plist"
    try PropertyListSerialization.data(fromPropertyList: keys, format: .xml, options: 0)
      .write(to: URL(filePath: list))
    for file in ["archived-expanded-entitlements.xcent", "\(name).entitlements"] {
      let entitlements = "\(container)/\(name).entitlements"
      guard FileManager.default.fileExists(atPath: "\(path)/\(file)"),
        !FileManager.default.fileExists(atPath: entitlements)
      else { continue }
      try FileManager.default.copyItem(atPath: "\(path)/\(file)", toPath: entitlements)
    }
    return list
  }

  private static func runsOnLinux(_ program: String) -> Bool {
    guard FileManager.default.isExecutableFile(atPath: program),
      let file = FileHandle(forReadingAtPath: program)
    else { return false }
    defer { try? file.close() }
    let beginning = (try? file.read(upToCount: 4)) ?? Data()
    return beginning == Data([0x7F, 0x45, 0x4C, 0x46]) || beginning.starts(with: Data("#!".utf8))
  }

  /// Returns whether the application was installed.
  @discardableResult
  func uninstall(
    _ identifier: String, _ boot: Boot, keepingData: Bool = false
  ) throws(SimulatorFailure) -> Bool {
    guard let bundle = installed(identifier) else { return false }
    _ = try? terminate(identifier, boot)
    _ = Tool.run("lsregister", ["remove", bundle.identifier], environment(boot))
    do {
      try FileManager.default.removeItem(atPath: bundle.container)
      if !keepingData {
        try FileManager.default.removeItem(atPath: dataContainer(of: bundle.identifier))
      }
    } catch {
      throw .machine("\(bundle.container) cannot be removed: \(error)")
    }
    return true
  }

  // MARK: Processes

  /// The processes of applications: identifier and process number.
  func running(_ boot: Boot) -> [(identifier: String, pid: Int32)] {
    Tool.run("lsregister", ["apps", "--json"], environment(boot)).objects.compactMap { entry in
      guard let identifier = entry["bundle-identifier"] as? String ?? entry["bundle_id"] as? String,
        let pid = entry["pid"] as? Int, pid > 0
      else { return nil }
      return (identifier, Int32(pid))
    }
  }

  func terminate(_ identifier: String, _ boot: Boot) throws(SimulatorFailure) {
    let processes = running(boot).filter {
      $0.identifier.lowercased() == identifier.lowercased()
    }
    guard !processes.isEmpty else {
      throw .system(
        3, "Simulator device failed to terminate \(identifier).", "found nothing to terminate")
    }
    for process in processes { Self.end(ProcessIdentity(process.pid), within: 2000) }
  }

  /// Whether an application claims the scheme of a URL, or its web link.
  func claims(_ url: String, _ identifier: String, _ boot: Boot) -> Bool {
    let wanted = identifier.lowercased()
    let scheme = String(url.prefix { $0 != ":" })
    // The colon says that a name with a full stop is a scheme.
    let subject = scheme.contains(".") ? scheme + ":" : scheme
    let handlers = Tool.run("lsregister", ["handlers", "--json", subject], environment(boot))
    let claims = handlers.objects.contains {
      ($0["bundle-identifier"] as? String)?.lowercased() == wanted
    }
    if claims { return true }
    let decision = Tool.run(
      "lsopen", ["--explain", "--json", "--verbatim", url], environment(boot))
    return (decision.object["handler"] as? String)?.lowercased() == wanted
  }

  /// Opens a URL or starts an application, and returns the receipt.
  func open(
    _ arguments: [String], _ boot: Boot
  ) -> (receipt: [String: Any], status: Int32, problem: String) {
    let ending = Tool.run("lsopen", ["--json", "--no-ask"] + arguments, environment(boot))
    let receipt = ending.object
    let problem =
      receipt["message"] as? String ?? ending.error.trimmingCharacters(in: .newlines)
    return (receipt, ending.status, problem)
  }
}

extension String {
  var lastPathComponent: String { (self as NSString).lastPathComponent }
}
