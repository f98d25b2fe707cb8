import Foundation
import Testing

/// The call patterns of public scripts.
@MainActor @Suite(.timeLimit(.minutes(30))) struct SimctlTests {
  @Test("a script boots the first available iPhone of list -j, installs, opens a URL, and ends")
  func listAsJSON() async throws {
    try await withWorld { world in
      let ending = try await world.run(
        #"""
        set -euo pipefail
        udid=$(xcrun simctl list devices available -j | python3 -c '
        import json, sys
        for runtime, devices in json.load(sys.stdin)["devices"].items():
            assert runtime.startswith("com.apple.CoreSimulator.SimRuntime.iOS-")
            for device in devices:
                if device["isAvailable"] and device["name"].startswith("iPhone 16"):
                    print(device["udid"])
        ' | head -1)
        [[ $udid =~ ^[0-9A-F-]{36}$ ]]
        xcrun simctl boot "$udid"
        xcrun simctl bootstatus "$udid" -b >/dev/null
        xcrun simctl install booted Photos.app
        xcrun simctl openurl booted 'photos:album/7?a=1&b=%252F'
        xcrun simctl list devices | grep -q "    iPhone 16 ($udid) (Booted) "
        test -f "$(xcrun simctl get_app_container booted com.example.photos)/Info.plist"
        test -d "$(xcrun simctl get_app_container booted com.example.photos data)"
        xcrun simctl spawn booted launchctl list | head -1 | cut -f 1,3
        xcrun simctl spawn booted launchctl list | awk -F '\t' '$1 > 1 && $2 == 0 { print $3 }' |
          grep '^UIKitApplication:com.example.photos\[' | cut -d '[' -f 1
        grep -F 'open photos:album/7?a=1&b=%252F' "$(xcrun simctl list -j devices | python3 -c '
        import json, sys
        print([d for ds in json.load(sys.stdin)["devices"].values() for d in ds if d["state"] == "Booted"][0]["logPath"])
        ')"/launchservicesd.log
        xcrun simctl terminate booted com.example.photos
        xcrun simctl uninstall booted com.example.photos
        xcrun simctl uninstall booted com.example.photos
        xcrun simctl shutdown "${udid,,}"
        """#)
      #expect(ending.error == "")
      #expect(ending.status == 0)
      #expect(ending.output.hasPrefix("PID\tLabel\nUIKitApplication:com.example.photos\n"))
      #expect(ending.output.contains("open photos:album/7?a=1&b=%252F for"))
    }
  }

  @Test("launch prints the identifier and the process, again for a running application")
  func launch() async throws {
    try await withWorld { world in
      let ending = try await world.run(
        """
        set -e
        xcrun simctl boot 'iPhone 17'
        xcrun simctl install 'iPhone 17' "$PWD/Photos.app"
        first=$(xcrun simctl launch booted com.example.photos)
        [ "$first" = "$(xcrun simctl launch booted com.example.photos)" ]
        second=$(xcrun simctl launch --terminate-running-process booted com.example.photos)
        [ "$first" != "$second" ]
        kill -0 "${second#*: }"
        echo "${second%%: *}"
        """)
      #expect(ending.error == "")
      #expect(ending.output == "com.example.photos\n")
    }
  }

  @Test(
    "launch --console shows what the application prints, until it ends", arguments: ["", "-pty"])
  func console(kind: String) async throws {
    try await withWorld { world in
      let ending = try await world.run(
        """
        set -euo pipefail
        xcrun simctl boot 'iPhone 17'
        xcrun simctl install booted Photos.app
        xcrun simctl launch --console\(kind) --terminate-running-process booted com.example.photos | {
          read -r name process
          echo "$name"
          xcrun simctl openurl booted photos:album/7
          grep -m 1 -o 'open photos:album/7'
          xcrun simctl terminate booted com.example.photos
          cat >/dev/null
          if kill -0 "$process" 2>/dev/null; then echo "$process runs"; fi
        }
        """)
      #expect(ending.error == "")
      #expect(ending.output == "com.example.photos:\nopen photos:album/7\n")
    }
  }

  private static let standIn = """
    mkdir Stand.app
    cat >Stand.app/Info.plist <<END
    <plist version="1.0"><dict><key>CFBundleIdentifier</key><string>com.example.stand</string>
    <key>CFBundleURLTypes</key><array><dict><key>CFBundleURLSchemes</key>
    <array><string>stand</string></array></dict></array></dict></plist>
    END
    xcrun simctl install booted Stand.app
    """

  @Test("a stand-in takes the arguments of its application, which are not its own")
  func standInWithArguments() async throws {
    try await withWorld { world in
      let ending = try await world.run(
        """
        set -e
        xcrun simctl boot 'iPhone 17'
        \(Self.standIn)
        xcrun simctl launch booted com.example.stand -AppleLanguages '(de)' --uitesting --behaviour x | cut -d : -f 1
        xcrun simctl openurl booted stand:1
        xcrun simctl spawn booted launchctl list | grep -c com.example.stand
        """)
      #expect(ending.error == "")
      #expect(ending.output == "com.example.stand\n1\n")
    }
  }

  @Test("shutdown ends what a killed daemon has left, and removes its folder")
  func killedDaemon() async throws {
    try await withWorld { world in
      let ending = try await world.run(
        #"""
        set -e
        xcrun simctl boot 'iPhone 17'
        \#(Self.standIn)
        application=$(xcrun simctl launch booted com.example.stand | cut -d ' ' -f 2)
        boot() { python3 -c "import json, glob; b = json.load(open(glob.glob('devices/*/boot.json')[0])); print(b$1)"; }
        daemon=$(boot "['daemon']['pid']"); bus=$(boot "['bus']['process']['pid']"); folder=$(boot "['runtimeFolder']")
        kill -KILL "$daemon"
        while xcrun simctl list devices | grep '(Booted)' >/dev/null; do :; done
        test -d "$folder"
        xcrun simctl shutdown all
        for pid in "$application" "$bus"; do
          case $(cut -d ')' -f 2 "/proc/$pid/stat" 2>/dev/null | cut -c 2) in
          '' | Z) echo ended ;;
          *) echo "$pid runs" ;;
          esac
        done
        test ! -e "$folder"
        ls devices/*/boot.json 2>/dev/null || echo forgotten
        """#)
      #expect(ending.error == "")
      #expect(ending.output == "ended\nended\nforgotten\n")
    }
  }

  @Test("a device has Safari and Phone, which no other application replaces")
  func systemApplications() async throws {
    try await withWorld { world in
      let ending = try await world.run(
        """
        set -e
        xcrun simctl boot 'iPhone 17'
        mkdir Dialler.app
        cat >Dialler.app/Info.plist <<END
        <plist version="1.0"><dict><key>CFBundleIdentifier</key><string>com.example.dialler</string>
        <key>CFBundleURLTypes</key><array><dict><key>CFBundleURLSchemes</key>
        <array><string>tel</string><string>dialler</string></array></dict></array></dict></plist>
        END
        xcrun simctl install booted Dialler.app
        xcrun simctl openurl booted tel:+15550100
        xcrun simctl openurl booted dialler:1
        xcrun simctl openurl booted https://example.com/
        find devices -name launchservicesd.log -exec cat {} + | grep -o '[a-zA-Z.]* application:openURL .*'
        """)
      #expect(ending.error == "")
      #expect(
        ending.output == """
          org.launchservices.system.Phone application:openURL tel:+15550100
          com.example.dialler application:openURL dialler:1
          org.launchservices.system.Safari application:openURL https://example.com/

          """)
    }
  }

  @Test("a device works without dbus-daemon")
  func withoutBus() async throws {
    try await withWorld { world in
      let ending = try await world.run(
        """
        set -e
        PATH=${PATH%%:*}
        xcrun simctl boot 'iPhone 17'
        xcrun simctl install booted Photos.app
        xcrun simctl openurl booted photos:1
        xcrun simctl launch booted com.example.photos
        """)
      #expect(ending.error == "")
      #expect(ending.output.hasPrefix("com.example.photos: "))
      let boots = try world.files(named: "boot.json")
      #expect(boots.count == 1 && !boots[0].contains("bus"))
    }
  }

  @Test("Foundation reads listapps and appinfo, as plutil does")
  func listapps() async throws {
    try await withWorld { world in
      let ending = try await world.run(
        """
        xcrun simctl boot 'iPhone 17' && xcrun simctl install booted Photos.app && xcrun simctl listapps booted
        """)
      let list = try unsafe PropertyListSerialization.propertyList(
        from: Data(ending.output.utf8), format: nil)
      let application = try #require((list as? [String: [String: Any]])?["com.example.photos"])
      #expect(application["ApplicationType"] as? String == "User")
      #expect(application["CFBundleVersion"] as? String == "7")
      let path = try #require(application["Path"] as? String)
      #expect(application["Bundle"] as? String == "file://\(path)/")
      let none = try await world.run("xcrun simctl appinfo booted com.none")
      #expect(none.output == "{\n    CFBundleIdentifier = \"com.none\";\n}\n")
    }
  }

  @Test("each failure has the status and the text that scripts look for")
  func failures() async throws {
    try await withWorld { world in
      func expect(_ command: String, _ status: Int32, _ text: String) async throws {
        let ending = try await world.run(command)
        #expect(ending.status == status, "\(command): \(ending.error)")
        #expect(ending.error.contains(text), "\(command): \(ending.error)")
      }
      try await expect("xcrun simctl openurl booted photos:1", 148, "No devices are booted.")
      try await expect("xcrun simctl boot nothing", 148, "Invalid device: nothing")
      try await expect(
        "xcrun simctl openurl 'iPhone 16' photos:1", 164,
        "(domain=com.apple.CoreSimulator.SimError, code=164):\nUnable to lookup in current state: Shutdown"
      )
      try await expect(
        "xcrun simctl shutdown 'iPhone 16'", 149,
        "Unable to shutdown device in current state: Shutdown")
      #expect(try await world.run("xcrun simctl boot 'iPhone 16'").status == 0)
      try await expect(
        "xcrun simctl boot 'iPhone 16'", 149, "Unable to boot device in current state: Booted")
      try await expect(
        "xcrun simctl erase 'iPhone 16'", 149,
        "Unable to erase contents and settings in current state: Booted")
      try await expect(
        "xcrun simctl openurl booted photos:1", 194, "(domain=NSOSStatusErrorDomain, code=-10814):")
      try await expect("xcrun simctl launch booted com.none", 4, "code=4")
      try await expect("xcrun simctl terminate booted com.none", 3, "found nothing to terminate")
      try await expect(
        "xcrun simctl get_app_container booted com.none", 2, "No such file or directory")
      try await expect(
        "xcrun simctl install booted None.app", 2, "was not found at the provided path")
      try await expect(
        "xcrun simctl privacy booted grant all com.none", 1, "simctl privacy is not available")
      try await expect("xcrun simctl xyzzy", 1, "Unrecognized subcommand: xyzzy")
      try await expect("xcrun altool", 72, "unable to find utility \"altool\"")
      try await expect("xcrun simctl", 1, "Usage: simctl")
      let accepted = try await world.run(
        "xcrun simctl privacy booted grant all com.none",
        ["LAUNCH_SERVICES_SIMCTL_ACCEPT": "push,privacy"])
      #expect(accepted.status == 0)
      #expect(accepted.error == "")
    }
  }

  @Test("devices are made, erased and deleted, each set has its own")
  func devices() async throws {
    try await withWorld { world in
      let ending = try await world.run(
        """
        set -e
        udid=$(xcrun simctl create Mine com.apple.CoreSimulator.SimDeviceType.iPhone-15 com.apple.CoreSimulator.SimRuntime.iOS-18-0)
        xcrun simctl list devices | sed -n '/-- iOS 18.0 --/,/-- iOS 26.0 --/p' | grep -c "    Mine ($udid) (Shutdown) "
        xcrun simctl --set "$PWD/other" list devices | grep -c Mine || true
        xcrun simctl boot Mine
        xcrun simctl install Mine Photos.app
        xcrun simctl shutdown all
        xcrun simctl boot Mine
        xcrun simctl launch Mine com.example.photos | sed 's/: .*//'
        xcrun simctl shutdown Mine
        xcrun simctl erase Mine
        xcrun simctl boot Mine
        xcrun simctl launch Mine com.example.photos 2>/dev/null || echo "status $?"
        xcrun simctl delete Mine
        xcrun simctl delete unavailable
        xcrun simctl list devices | grep -c Mine || true
        """)
      #expect(ending.error == "")
      #expect(ending.output == "1\n0\ncom.example.photos\nstatus 4\n0\n")
    }
  }
}

@MainActor @Suite(.timeLimit(.minutes(30))) struct AndroidBridgeTests {
  @Test("am start opens a URL, says cold and hot, and says that nobody resolves an intent")
  func start() async throws {
    try await withWorld { world in
      let ending = try await world.run(
        #"""
        adb devices | sed -n 2p
        xcrun simctl boot 'iPhone 16' && xcrun simctl install booted Photos.app
        adb wait-for-device
        adb devices | sed -n 2p
        adb shell am start -W -a android.intent.action.VIEW -d 'photos:1?a=1\&b=2' com.example.photos | grep -v Time:
        adb -s emulator-5554 shell "am start -W -a android.intent.action.VIEW -d 'photos:2?a=1&b=2'" | grep LaunchState
        adb shell am force-stop com.example.photos
        adb wait-for-device shell am start -W -a android.intent.action.VIEW -d photos:3 | grep LaunchState
        adb wait-for-device install app.apk 2>/dev/null || echo "status $?"
        adb shell am start -a android.intent.action.VIEW -d none:1 || echo "status $?"
        adb install app.apk 2>&1 || echo "status $?"
        """#)
      #expect(
        ending.output == """

          emulator-5554\tdevice
          Starting: Intent { act=android.intent.action.VIEW dat=photos:1?a=1&b=2 pkg=com.example.photos }
          Status: ok
          LaunchState: COLD
          Activity: com.example.photos/.MainActivity
          Complete
          LaunchState: HOT
          LaunchState: COLD
          status 1
          Starting: Intent { act=android.intent.action.VIEW dat=none:1 }
          Error: Activity not started, unable to resolve Intent { act=android.intent.action.VIEW dat=none:1 flg=0x10000000 }
          status 1
          adb: install is not available: this adb belongs to Launch Services for Linux, and opens URLs only; see 'adb help'
          status 1

          """)
      #expect(ending.error == "")
    }
  }

  @Test("a package that does not claim the URL gets nothing; a component gets it") func package()
    async throws
  {
    try await withWorld { world in
      let ending = try await world.run(
        #"""
        xcrun simctl boot 'iPhone 16' && xcrun simctl install booted Photos.app
        adb shell am start -a android.intent.action.VIEW -d aa:4 com.example.photos; echo "status $?"
        adb shell am start -a android.intent.action.VIEW -d https://example.com/ -p com.example.photos; echo "status $?"
        adb shell am start -a android.intent.action.VIEW -d photos:4 com.example.nobody; echo "status $?"
        xcrun simctl spawn booted launchctl list | grep -c com.example.photos
        adb shell am start -a android.intent.action.VIEW -d photos:5 -p com.example.photos; echo "status $?"
        adb shell am start -W -a android.intent.action.VIEW -d aa:6 -n com.example.photos/.Main | grep Status
        """#)
      #expect(
        ending.output == """
          Starting: Intent { act=android.intent.action.VIEW dat=aa:4 pkg=com.example.photos }
          Error: Activity not started, unable to resolve Intent { act=android.intent.action.VIEW dat=aa:4 pkg=com.example.photos flg=0x10000000 }
          status 1
          Starting: Intent { act=android.intent.action.VIEW dat=https://example.com/ pkg=com.example.photos }
          Error: Activity not started, unable to resolve Intent { act=android.intent.action.VIEW dat=https://example.com/ pkg=com.example.photos flg=0x10000000 }
          status 1
          Starting: Intent { act=android.intent.action.VIEW dat=photos:4 pkg=com.example.nobody }
          Error: Activity not started, unable to resolve Intent { act=android.intent.action.VIEW dat=photos:4 pkg=com.example.nobody flg=0x10000000 }
          status 1
          0
          Starting: Intent { act=android.intent.action.VIEW dat=photos:5 pkg=com.example.photos }
          status 0
          Status: ok

          """)
      #expect(ending.error == "")
    }
  }

  @Test("-s and ANDROID_SERIAL name the device, and an unknown one gets nothing") func serial()
    async throws
  {
    try await withWorld { world in
      let ending = try await world.run(
        #"""
        xcrun simctl boot 'iPhone 16' && xcrun simctl install booted Photos.app
        xcrun simctl boot 'iPhone 17'
        adb devices | sed -n '2,3p'
        adb -s nosuch shell am start -a android.intent.action.VIEW -d photos:1 2>&1; echo "status $?"
        adb -s nosuch get-state 2>&1; echo "status $?"
        ANDROID_SERIAL=nosuch adb shell getprop sys.boot_completed 2>&1; echo "status $?"
        first=$(adb -s emulator-5554 shell am start -a android.intent.action.VIEW -d photos:1 | tail -1)
        second=$(ANDROID_SERIAL=emulator-5556 adb shell am start -a android.intent.action.VIEW -d photos:1 | tail -1)
        printf '%s\n' "$first" "$second"
        adb -s emulator-5556 wait-for-device shell getprop sys.boot_completed
        adb shell getprop ro.build.version.sdk 2>&1; echo "status $?"
        """#)
      #expect(
        ending.output == """
          emulator-5554\tdevice
          emulator-5556\tdevice
          adb: device 'nosuch' not found
          status 1
          adb: device 'nosuch' not found
          status 1
          adb: device 'nosuch' not found
          status 1
          Starting: Intent { act=android.intent.action.VIEW dat=photos:1 }
          Error: Activity not started, unable to resolve Intent { act=android.intent.action.VIEW dat=photos:1 flg=0x10000000 }
          1
          adb: shell getprop ro.build.version.sdk is not available: only 'getprop sys.boot_completed' is; see 'adb help'
          status 1

          """)
      #expect(ending.error == "")
    }
  }
}

@MainActor @Suite(.timeLimit(.minutes(30))) struct DeveloperToolsTests {
  @Test(
    "a question about an SDK says that there is none",
    arguments: ["--show-sdk-path", "--show-sdk-version", "--show-sdk-platform-path"])
  func sdk(option: String) async throws {
    try await withWorld { world in
      let ending = try await world.run("xcrun --sdk iphonesimulator \(option)")
      #expect(ending.status == 1)
      #expect(
        ending.error
          == "xcrun: error: \(option) is not available: there is no SDK on this machine; this xcrun belongs to Launch"
          + " Services for Linux, and runs 'xcrun simctl' and 'xcrun --find simctl' only\n")
    }
  }
}
