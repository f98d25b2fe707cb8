import DesktopEntries
import Testing

@Suite("Processes that may have written mimeapps.list") struct MimeAppsWriterTests {
  @Test(
    "those with the file open are first, then programs that change defaults; at most five are named"
  )
  func order() {
    let unrelated = (1...7).map {
      MimeAppsWriter(
        name: "sleep", pid: Int32($0), hasFileOpen: false, milliseconds: UInt64($0) * 10)
    }
    let others = [
      MimeAppsWriter(name: "old", pid: 20, hasFileOpen: false, milliseconds: 5000),
      MimeAppsWriter(name: "gnome-control-c", pid: 21, hasFileOpen: false, milliseconds: 4999),
      MimeAppsWriter(name: "editor", pid: 22, hasFileOpen: true, milliseconds: 90_000),
      MimeAppsWriter(name: "xdg-mime", pid: 23, hasFileOpen: false, milliseconds: 400),
    ]
    #expect(
      MimeAppsWriter.texts(of: unrelated + others) == [
        "editor (22), which has the file open",
        "xdg-mime (23), which had started 400 ms before",
        "gnome-control-c (21), which had started 4999 ms before",
        "sleep (1), which had started 10 ms before",
        "sleep (2), which had started 20 ms before",
        "5 others, which had started within 5 s before",
      ])
    let six = MimeAppsWriter.texts(of: Array(unrelated.prefix(6)))
    #expect(six.last?.hasPrefix("1 other, ") == true)
    #expect(MimeAppsWriter.texts(of: []) == [])
  }
}
