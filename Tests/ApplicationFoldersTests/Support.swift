import Foundation
import LaunchRules
import TemporaryFolders
import Testing

@testable import ApplicationFolders

/// A folder of one test; removed with everything in it.
extension TemporaryFolder {
  /// A loose property list that claims schemes; one with `oddity` gets a diagnostic.
  @discardableResult func writeApplication(
    _ name: String, claims schemes: [String] = [], oddity: Bool = false
  ) throws -> String {
    let claims = schemes.map { "<string>\($0)</string>" }.joined()
    let role = oddity ? "<key>CFBundleTypeRole</key><string>Nonsense</string>" : ""
    return try write(
      """
      <plist version="1.0"><dict>
      <key>CFBundleIdentifier</key><string>com.example.\(name)</string>
      <key>ProgramArguments</key><array><string>/usr/bin/true</string></array>
      <key>CFBundleURLTypes</key><array><dict>\(role)
      <key>CFBundleURLSchemes</key><array>\(claims)</array></dict></array>
      </dict></plist>
      """, to: name + ".plist")
  }

  func records(_ orders: [PropertyListOrder]) -> PropertyListTable {
    var table = PropertyListTable()
    for order in orders { table.insert(order.read()) }
    return table
  }
}

extension PropertyListTable {
  /// In the order of paths.
  var sorted: [ApplicationRecord] { records.sorted { $0.propertyList < $1.propertyList } }
}
