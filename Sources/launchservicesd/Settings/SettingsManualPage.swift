internal import DaemonSettings

nonisolated extension SettingsDocumentation {
  /// launch-services.plist(5).
  static var manualPage: String {
    #"""
    .\" Made by Tests/update\-documents from the table of settings; change that.
    .TH LAUNCH\-SERVICES.PLIST 5 2026-11-22 "Launch Services" "File Formats"
    .SH NAME
    launch\-services.plist \- settings of launchservicesd
    .SH SYNOPSIS
    .I $XDG_CONFIG_HOME/launch\-services/config.plist
    .SH DESCRIPTION
    A property list, XML or binary, with a dictionary of settings.
    .BR launchservicesd (8)
    reads it when it starts; its options override it.
    A file that is missing leaves every setting at its default.
    .PP
    When a value is not allowed, the default is used for that key, and the log
    has a warning that names key, value and what is allowed.
    Unknown keys are ignored, with a warning.
    When the file is no property list, it is not used, and the log has an error
    with the reason.
    .PP
    A request that exceeds one of the limits fails with
    .BR LimitExceeded ,
    and the message names the limit.
    .SH SETTINGS

    """# + roff(SettingsTable.file.members) + #"""
      .SH CONFIRMATIONS
      Each key of the dictionary
      .B Confirmations
      is a situation.
      With true the user is asked before the open, with false not.

      """# + roff(SettingsTable.confirmations.members) + #"""
        .SH EXAMPLE
        .nf
        .RS
        <?xml version="1.0" encoding="UTF\-8"?>
        <plist version="1.0">
        <dict>
          <key>LaunchTimeout</key> <integer>60</integer>
          <key>LogLevel</key> <string>debug</string>
          <key>Confirmations</key> <dict>
            <key>custom\-application</key> <true/>
          </dict>
        </dict>
        </plist>
        .RE
        .fi
        .SH SEE ALSO
        .BR lsopen (1),
        .BR lsregister (1),
        .BR launch\-services (7),
        .BR launchservicesd (8)

        """#
  }
}
