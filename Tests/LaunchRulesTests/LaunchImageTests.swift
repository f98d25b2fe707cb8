import LaunchRules
import Testing

@Suite struct LaunchImageTests {
  @Test("R1.41 the image of the scheme goes before that of any launch, the plain one before others")
  func names() {
    let names = LaunchImage.names(basename: "Start", scheme: "myapp")
    #expect(names.first == "Start-myapp.png")
    #expect(names.count == 2 * 108 && Set(names).count == names.count)
    #expect(names[108] == "Start.png")
    #expect(names.prefix(108).allSatisfy { $0.hasPrefix("Start-myapp") })
  }

  @Test(
    "F1: names have all modifiers in Apple's order",
    arguments: [
      "Start-myapp@2x.png", "Start-myapp-568h@2x.png", "Start-myapp-568h@2x~iphone.png",
      "Start-myapp-Portrait.png", "Start-myapp-Landscape~ipad.png",
      "Start-myapp-LandscapeLeft@2x~ipad.png", "Start-myapp-PortraitUpsideDown@3x.png",
      "Start-568h-LandscapeRight@2x~iphone.png",
    ])
  func modifiers(_ name: String) {
    #expect(LaunchImage.names(basename: "Start", scheme: "myapp").contains(name))
  }

  @Test("F1: the scheme as it is written, and a name that ends in .png") func spelling() {
    let names = LaunchImage.names(basename: "Start.PNG", scheme: "MyApp")
    #expect(names.count == 3 * 108)
    #expect(names[0] == "Start-MyApp.png" && names[108] == "Start-myapp.png")
    #expect(names[216] == "Start.png")
    let three = LaunchImage.names(basename: "Start", scheme: "MYAPP", spelling: "MyApp")
    #expect(
      stride(from: 0, to: three.count, by: 108).map { three[$0] } == [
        "Start-MYAPP.png", "Start-MyApp.png", "Start-myapp.png", "Start.png",
      ])
  }
}
