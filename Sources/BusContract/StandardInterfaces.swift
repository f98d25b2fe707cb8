package import DBus

/// The interfaces of the D-Bus specification that the daemon's objects implement.
extension Contract {
  package static let peer = InterfaceDescription(
    "org.freedesktop.DBus.Peer",
    methods: [
      .init("Ping"), .init("GetMachineId", returns: [.init("machine_uuid", "s")]),
    ])

  package static let introspectable = InterfaceDescription(
    "org.freedesktop.DBus.Introspectable",
    methods: [.init("Introspect", returns: [.init("xml_data", "s")])])

  package static let properties = InterfaceDescription(
    "org.freedesktop.DBus.Properties",
    methods: [
      .init(
        "Get", [.init("interface_name", "s"), .init("property_name", "s")],
        returns: [.init("value", "v")]),
      .init("GetAll", [.init("interface_name", "s")], returns: [.init("properties", "a{sv}")]),
      .init(
        "Set",
        [.init("interface_name", "s"), .init("property_name", "s"), .init("value", "v")]),
    ],
    signals: [
      .init(
        "PropertiesChanged",
        [
          .init("interface_name", "s"), .init("changed_properties", "a{sv}"),
          .init("invalidated_properties", "as"),
        ])
    ])

  package static let objectManager = InterfaceDescription(
    "org.freedesktop.DBus.ObjectManager",
    methods: [.init("GetManagedObjects", returns: [.init("objects", "a{oa{sa{sv}}}")])])
}
