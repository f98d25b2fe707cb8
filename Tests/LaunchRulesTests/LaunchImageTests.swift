import LaunchRules
import Testing

@Suite struct LaunchImageTests {
  @Test("R1.41 the image of the scheme goes before that of any launch, the plain one before others")
  func names() throws {
    let scheme = try #require(URLScheme("MyApp"))
    #expect(
      LaunchImage.names(basename: "Start", scheme: scheme) == [
        "Start-myapp.png", "Start-myapp@2x.png", "Start-myapp@3x.png", "Start.png",
        "Start@2x.png", "Start@3x.png",
      ])
  }
}
