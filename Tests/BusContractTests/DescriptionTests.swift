import DBus
import Testing

@testable import BusContract

/// The descriptions from which introspection data and documents are made.
@Suite("Descriptions of the contract") struct DescriptionTests {
  private static let interfaces = Contract.interfaces + Contract.clientInterfaces

  /// All sentences, each with the place that it describes.
  private static var sentences: [(place: String, text: String)] {
    var all: [(String, String)] = []
    func add(_ place: String, _ dictionary: DictionaryDescription?) {
      for entry in dictionary?.entries ?? [] {
        all.append(("\(place) \(entry.key)", entry.documentation))
        add("\(place) \(entry.key)", entry.dictionary)
      }
    }
    func add(_ place: String, _ arguments: [InterfaceDescription.Argument]) {
      for argument in arguments {
        all.append(("\(place) \(argument.name)", argument.documentation))
        add("\(place) \(argument.name)", argument.dictionary)
      }
    }
    for interface in interfaces {
      all.append((interface.name.text, interface.documentation))
      for method in interface.methods {
        all.append(("\(interface.name).\(method.name)", method.documentation))
        add("\(interface.name).\(method.name)", method.inputs + method.outputs)
      }
      for signal in interface.signals {
        all.append(("\(interface.name).\(signal.name)", signal.documentation))
        add("\(interface.name).\(signal.name)", signal.arguments)
      }
      for property in interface.properties {
        all.append(("\(interface.name).\(property.name)", property.documentation))
      }
    }
    return all + Contract.errors.map { ($0.name, $0.documentation) }
  }

  @Test("Every interface, method, signal, property, argument, key and error has a sentence")
  func sentences() {
    for (place, text) in Self.sentences {
      #expect(text.hasSuffix(".") && text.contains(" "), "\(place): \(text)")
      #expect(text.count { $0 == "`" }.isMultiple(of: 2), "\(place): \(text)")
      #expect(!text.contains("\n") && !text.contains("  "), "\(place): \(text)")
    }
  }

  @Test("Every argument and key with dictionaries describes the keys") func dictionaries() {
    func check(_ name: String, _ type: Signature, _ dictionary: DictionaryDescription?) {
      #expect(type.text.contains("a{sv}") == (dictionary != nil), "\(name) \(type)")
      for entry in dictionary?.entries ?? [] { check(entry.key, entry.type, entry.dictionary) }
      let keys = dictionary?.entries.map(\.key) ?? []
      #expect(Set(keys).count == keys.count, "\(name)")
    }
    for interface in Self.interfaces {
      for argument in interface.methods.flatMap({ $0.inputs + $0.outputs })
        + interface.signals.flatMap(\.arguments)
      {
        check(argument.name, argument.type, argument.dictionary)
      }
    }
  }

  @Test("Every option that is read has the type that its description has") func types() {
    let readers: [(DictionaryDescription, (Options) throws(BusError) -> Void)] = [
      (
        QueryOptions.explainDescription,
        { (options) throws(BusError) in
          _ = try QueryOptions(OptionReader(options: options))
        }
      ),
      (
        OpenOptions.description,
        { (options) throws(BusError) in
          _ = try OpenOptions(OptionReader(options: options))
        }
      ),
      (
        HistoryOptions.description,
        { (options) throws(BusError) in
          _ = try HistoryOptions(OptionReader(options: options))
        }
      ),
      (
        CheckInOptions.description,
        { (options) throws(BusError) in
          _ = try CheckInOptions(OptionReader(options: options))
        }
      ),
      (
        ApplicationQuery.description,
        { (options) throws(BusError) in
          _ = try ApplicationQuery(OptionReader(options: options))
        }
      ),
      (
        Approval.description,
        { (options) throws(BusError) in
          // All its keys are needed.
          let others = Options(
            uniqueKeysWithValues: Approval.description.entries.map {
              ($0.key, $0.type.text == "b" ? .boolean(true) : .string("x"))
            })
          _ = try Approval(others.merging(options) { $1 })
        }
      ),
    ]
    for (description, read) in readers {
      // A value of any type is an annotation.
      for entry in description.entries where entry.type.text != "v" {
        let error = #expect(throws: BusError.self, "\(entry.key)") {
          // No option is a signed integer.
          try read([entry.key: .int64(1)])
        }
        #expect(
          error?.text == "option '\(entry.key)' must be of type \(entry.type), not x",
          "\(entry.key)")
      }
    }
  }

  @Test("A receipt has the keys of its description") func receipt() {
    var receipt = ReceiptTests.receipt
    receipt.isRepeated = true
    #expect(Set(receipt.dictionary.keys) == Receipt.description.keys)
    for entry in Receipt.description.entries {
      #expect(receipt.dictionary[entry.key]?.type == entry.type.text, "\(entry.key)")
    }
  }

  @Test("The errors have a name each") func errors() {
    #expect(Set(Contract.errors.map(\.name)).count == Contract.errors.count)
    let described = Set(Contract.errors.map(\.name))
    for failure in ErrorTests.failures {
      #expect(described.contains(failure.busError.name.text), "\(failure)")
    }
  }
}
