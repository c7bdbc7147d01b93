#!/bin/sh
# Installs into a temporary prefix, then builds and runs a program against the installation as a
# user would: with pkg-config, and with CMake's find_package, shared and static.
#
#   install_and_use.sh CMAKE CC BUILD-DIR SOURCE-DIR
set -eu
cmake=$1 cc=$2 build=$3 source=$4

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
"$cmake" --install "$build" --prefix "$prefix" >"$work/install.log" ||
    { cat "$work/install.log"; exit 1; }

pc=$(find "$prefix" -name oloid.pc)
libdir=$(dirname "$(dirname "$pc")")
PKG_CONFIG_PATH=$(dirname "$pc")${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
LD_LIBRARY_PATH=$libdir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export PKG_CONFIG_PATH LD_LIBRARY_PATH

"$cc" -std=c11 -Wall -Werror "$source/use.c" -o "$work/use" $(pkg-config --cflags --libs oloid)
"$work/use"
echo "pkg-config: works"

# every public header stands alone
for header in "$prefix"/include/oloid/*.h; do
    echo "#include <oloid/$(basename "$header")>" >"$work/header.c"
    "$cc" -std=c11 -Wall -Werror -fsyntax-only -I"$prefix/include" "$work/header.c"
done
echo "headers: each stands alone"

"$cmake" -S "$source" -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_C_COMPILER="$cc" >"$work/configure.log" 2>&1 || { cat "$work/configure.log"; exit 1; }
"$cmake" --build "$work/build" >"$work/build.log" 2>&1 || { cat "$work/build.log"; exit 1; }
"$work/build/use_shared"
"$work/build/use_static"
echo "find_package: works, shared and static"

if [ -x "$prefix/bin/oloid" ]; then
    "$prefix/bin/oloid" --version
fi
