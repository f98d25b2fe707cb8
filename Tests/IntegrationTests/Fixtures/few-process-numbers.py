"""Callers of two kinds take turns where there are few process numbers, so that each number is used again by a
caller of the other kind. An application is killed again and again, too.

usage: few-process-numbers.py PROGRAMS FOLDER EXAMPLES   in a process namespace of its own, as root
"""

import os
import re
import shutil
import signal
import sys

from world import World

programs, folder, examples = sys.argv[1:]
with open("/proc/sys/kernel/pid_max", "w") as most:
    most.write("400")
world = World(programs, folder)
world.start_daemon()
world.await_daemon()
asker = f"{folder}/asker"
shutil.copy(f"{programs}/lsopen", asker)
world.succeed("lsregister", "add", world.write_property_list("asker", asker))
world.succeed(
    "lsregister", "add", "--define", f"EXAMPLES_DIR={examples}", f"{examples}/python-handler/python-handler.plist")

handlers, refused, asked = set(), 0, 0
for round in range(60):
    if round % 10 == 0:
        world.succeed("lsopen", "note:hello")
        apps = world.succeed("lsregister", "apps")
        handler = int(re.search(r"^com\.example\.python-handler\s+\S+\s+(\d+)", apps, re.M)[1])
        handlers.add(handler)
        os.kill(handler, signal.SIGKILL)
    for program, is_asker in [("lsopen", False), (asker, True)]:
        status, text = world.run(program, "--explain", "note:1")
        caller = re.search(r"^caller +(.*)", text, re.M)
        asked += 1
        if not caller:
            world.must("process number" in text, text)
            refused += 1
            continue
        world.must("com.example.python-handler" not in caller[1], caller[0])
        world.must(("com.example.asker" in caller[1]) == is_asker, caller[0])
print(f"{asked} callers, {refused} refused")
world.end()
