// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "link-tests",
  dependencies: [
    .package(name: "launch-services", path: "../launch-services")
  ],
  targets: [
    .testTarget(
      name: "LinkTests",
      dependencies: [
        .product(name: "LaunchServicesTesting", package: "launch-services"),
        // The programs that the tests start. SwiftPM builds them beside the tests.
        .product(name: "launchservicesd", package: "launch-services"),
        .product(name: "scripted-handler", package: "launch-services"),
      ])
  ]
)
