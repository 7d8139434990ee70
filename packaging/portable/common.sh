# Read by the scripts of this folder. Sets where things are for one architecture:
#   ARCH       x86_64 or aarch64
#   CACHE      what is fetched and built once, outside of the tree
#   WRAPPERS   Zig's Clang and linker as clang, clang++
#   PREFIX     static libraries, made anew when a lock, a source or a script changes
set -eu
HERE=$(cd "$(dirname "$0")" && pwd)
ARCH=${ARCH:-$(uname -m)}
case $ARCH in x86_64 | aarch64) ;; *) echo "portable: no such architecture: $ARCH" >&2; exit 2 ;; esac
GLIBC=2.17
CACHE=${LOCKSTEP_PORTABLE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/lockstep-portable}

hash_of() {
    cat "$@" | sha256sum | cut -c1-16
}

ZIG_ENV=$CACHE/zig-$(hash_of "$HERE/requirements.lock")
WRAPPERS=$CACHE/wrappers-$ARCH-$(hash_of "$HERE/requirements.lock" "$HERE/compiler")
PREFIX=$CACHE/libraries-$ARCH-$(hash_of "$HERE/sources.lock" "$HERE/libraries" "$HERE/newer_calls"/*)
