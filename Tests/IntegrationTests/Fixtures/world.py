"""A bus, a daemon, and folders of their own, for scripts that need another kind of process than the tests are."""

import os
import subprocess
import sys
import time


class World:
    """PROGRAMS is the folder of the built programs, FOLDER an empty one."""

    def __init__(self, programs, folder):
        self.programs, self.folder = programs, folder
        bus = f"unix:path={folder}/bus"
        os.environ.update({"HOME": folder, "DBUS_SESSION_BUS_ADDRESS": bus, "XDG_DATA_DIRS": f"{folder}/share"})
        for name in ["data", "config", "state", "cache"]:
            os.environ[f"XDG_{name.upper()}_HOME"] = f"{folder}/{name}"
        os.environ["XDG_RUNTIME_DIR"] = f"{folder}/run"
        os.mkdir(f"{folder}/run", 0o700)
        self.bus = subprocess.Popen(
            ["dbus-daemon", "--session", "--nofork", "--nopidfile", f"--address={bus}"],
            stderr=subprocess.DEVNULL)
        self.log = f"{folder}/log"

    def start_daemon(self, *command):
        """By another program, when COMMAND names one."""
        with open(self.log, "ab") as log:
            self.daemon = subprocess.Popen(
                [*command, f"{self.programs}/launchservicesd", "--fetch-associations", "no"], stderr=log)

    def run(self, program, *arguments):
        """The status, and what the program wrote."""
        path = program if program.startswith("/") else f"{self.programs}/{program}"
        done = subprocess.run([path, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return done.returncode, done.stdout

    def succeed(self, program, *arguments):
        status, text = self.run(program, *arguments)
        self.must(status == 0, f"{program} {arguments} ended with {status}: {text}")
        return text

    def await_daemon(self):
        for _ in range(600):
            if self.run("lsopen", "--can-open", "nobody:")[0] in (0, 1):
                return
            time.sleep(0.1)
        self.must(False, "the daemon does not start")

    def must(self, condition, sentence):
        if not condition:
            with open(self.log, encoding="utf-8", errors="replace") as log:
                sys.exit(f"{sentence}\nThe daemon wrote:\n{log.read()}")

    def end(self):
        self.daemon.terminate()
        status = self.daemon.wait()
        self.bus.kill()
        self.must(status == 0, f"the daemon ended with {status}")

    def write_property_list(self, name, program, *keys):
        path = f"{self.folder}/{name}.plist"
        with open(path, "w", encoding="utf-8") as file:
            file.write(
                f'<plist version="1.0"><dict><key>CFBundleIdentifier</key><string>com.example.{name}</string>'
                f"<key>ProgramArguments</key><array><string>{program}</string></array>{''.join(keys)}"
                "</dict></plist>")
        return path
