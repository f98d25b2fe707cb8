// The engine that comes with the toolchain (libFuzzer); swiftc -sanitize=fuzzer links it.
#pragma once
#include <stddef.h>
#include <stdint.h>

/// Calls `one` with input after input, as the arguments say; see https://llvm.org/docs/LibFuzzer.html.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*one)(const uint8_t *data, size_t size));
