import LaunchRules
import Testing

@Suite("The fingerprint of a request")
struct RequestFingerprintTests {
  private static let photos = BundleIdentifier("com.example.photos")

  @Test("is that of FNV-1a, for ever: the next daemon compares it") func value() {
    let fingerprint = RequestFingerprint(.url, "a", designated: nil, newInstance: false)
    #expect(fingerprint.value == 0x469e_03c5_cd98_ae0c)
  }

  @Test("is another for everything that tells requests apart") func others() {
    let all = [
      RequestFingerprint(.url, "photos:1", designated: nil, newInstance: false),
      RequestFingerprint(.url, "photos:1?a", designated: nil, newInstance: false),
      RequestFingerprint(.url, "photos:1#a", designated: nil, newInstance: false),
      RequestFingerprint(.url, "photos:1", designated: Self.photos, newInstance: false),
      RequestFingerprint(.url, "photos:1", designated: nil, newInstance: true),
      RequestFingerprint(.quickAction, "photos:1", designated: nil, newInstance: false),
      RequestFingerprint(.quickAction, "photos:1", designated: Self.photos, newInstance: false),
    ]
    #expect(Set(all).count == all.count)
  }
}
