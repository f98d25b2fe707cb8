"""no-user-namespaces.py COMMAND [ARGUMENT]...: runs it where the kernel refuses user namespaces.

A filter does what kernel.unprivileged_userns_clone=0 would do to everybody: unshare() and clone() with
CLONE_NEWUSER fail with EPERM; there is no clone3(). For x86-64; needs root.
"""
import ctypes
import errno
import os
import struct
import sys

LOAD, EQUAL, ANY_BIT, RETURN = 0x20, 0x15, 0x45, 0x06
ALLOW, ERRNO = 0x7FFF0000, 0x00050000
UNSHARE, CLONE, CLONE3, NEW_USER = 272, 56, 435, 0x10000000
PR_SET_SECCOMP, FILTER = 22, 2


def step(code, value, if_true=0, if_false=0):
    return struct.pack("HBBI", code, if_true, if_false, value)


steps = [
    step(LOAD, 0),  # number of the call
    step(EQUAL, UNSHARE, 4),
    step(EQUAL, CLONE, 3),
    step(EQUAL, CLONE3, 0, 1),
    step(RETURN, ERRNO | errno.ENOSYS),
    step(RETURN, ALLOW),
    step(LOAD, 16),  # its first argument
    step(ANY_BIT, NEW_USER, 0, 1),
    step(RETURN, ERRNO | errno.EPERM),
    step(RETURN, ALLOW),
]


class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("steps", ctypes.c_char_p)]


program = Program(len(steps), b"".join(steps))
libc = ctypes.CDLL(None, use_errno=True)
if libc.prctl(PR_SET_SECCOMP, FILTER, ctypes.byref(program), 0, 0) != 0:
    sys.exit(f"no filter can be set: {os.strerror(ctypes.get_errno())}")
os.execvp(sys.argv[1], sys.argv[1:])
