import DesktopEntries
import Foundation
import Testing

@Suite("MIME types of files") struct ContentTypeTests {
  @Test(
    "Y1: the name goes before what is in the file, and an empty file is of no type",
    arguments: [
      ("a.dcm", "", "application/dicom"), ("a.flv", "", "video/x-flv"),
      ("a.dcm", "text", "application/dicom"), ("a.nosuch", "", "application/x-zerosize"),
      ("empty", "", "application/x-zerosize"), ("letter", "some words\n", "text/plain"),
      ("a.nosuch", "%PDF-1.4\n", "application/pdf"),
    ])
  func ofFile(_ name: String, _ contents: String, _ type: String) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: name)
    try Data(contents.utf8).write(to: file)
    #expect(ContentType.ofFile(file.absoluteString) == type)
    #expect(ContentType.ofFile(folder.absoluteString) == "inode/directory")
    #expect(ContentType.ofFile(file.absoluteString + "x") == nil)
  }
}
