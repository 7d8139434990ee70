#!/bin/sh
# Installs Lockstep below PREFIX (default: /usr/local for root, else ~/.local). It also runs from where it was unpacked: bin/lockstep.
#
# usage: ./install.sh [PREFIX]
set -eu
cd "$(dirname "$0")"
if [ "$(id -u)" -eq 0 ]; then prefix=${1:-/usr/local}; else prefix=${1:-$HOME/.local}; fi
mkdir -p "$prefix"
cp -R bin lib share "$prefix/"
echo "installed: $prefix/bin/lockstep"
case ":$PATH:" in *":$prefix/bin:"*) ;; *) echo "it is not on PATH yet: export PATH=$prefix/bin:\$PATH" ;; esac
