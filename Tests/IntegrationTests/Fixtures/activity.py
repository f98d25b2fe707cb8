"""A handler that offers the page of each URL that it opens as its current activity; "reader:end" ends the activity."""

import os

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

SERVICE, PATH = "org.launchservices.LaunchServices1", "/org/launchservices/LaunchServices1"


def launch_services():
    return dbus.Interface(bus.get_object(SERVICE, PATH), "org.launchservices.Launch1")


class Application(dbus.service.Object):
    @dbus.service.method("org.launchservices.Application1", "a(sa{sv})", "ab")
    def OpenURLs(self, urls):
        for url, _ in urls:
            if url == "reader:end":
                launch_services().SetCurrentActivity(
                    dbus.Dictionary(signature="sv"), dbus.Dictionary(signature="sv"))
            else:
                launch_services().SetCurrentActivity(
                    {"type": "com.example.reader.article", "title": "Chapter 1", "webpage-url": "https://example.com/article/1"},
                    dbus.Dictionary(signature="sv"))
        return dbus.Array([True for _ in urls], signature="b")


bus = dbus.SessionBus(mainloop=dbus.mainloop.glib.DBusGMainLoop())
application = Application(bus, "/org/launchservices/Application")
launch_services().CheckIn({"token": os.environ["LAUNCH_SERVICES_TOKEN"]})
launch_services().FinishLaunching(dbus.Dictionary(signature="sv"))
GLib.MainLoop().run()
