// Calls of the C library that came after glibc 2.17, for the portable build: linked into a program or library that needs one, and
// seen by nobody else in the process.
#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#define NEWER_CALL __attribute__((visibility("hidden")))
