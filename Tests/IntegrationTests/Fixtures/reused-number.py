"""Runs a program as the process with a number that is free again. Needs to be root.

usage: reused-number.py NUMBER PROGRAM ARGUMENT...
"""

import os
import sys

number = int(sys.argv[1])
for _ in range(100_000):
    with open("/proc/sys/kernel/ns_last_pid", "w") as last:
        last.write(str(number - 1))
    # Somebody else may be faster; then once more.
    child = os.fork()
    if child == 0:
        if os.getpid() != number:
            os._exit(99)
        os.setsid()
        os.execvp(sys.argv[2], sys.argv[2:])
    status = os.waitpid(child, 0)[1]
    if child == number:
        sys.exit(os.waitstatus_to_exitcode(status))
sys.exit("the number could not be had")
