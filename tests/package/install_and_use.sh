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

PKG_CONFIG_PATH=$(dirname "$pc")${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
export PKG_CONFIG_PATH
unset OLOID_MODELS

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

# the examples run as they are, without LD_LIBRARY_PATH
for example in first_steps callback_force; do
    "$cc" -std=c11 "$source/../../examples/$example.c" -o "$work/$example" \
        $(pkg-config --cflags --libs oloid) -lm
    "$work/$example" >/dev/null
done
echo "examples: run without LD_LIBRARY_PATH"

# an installation that was moved has its models beside the command
mv "$prefix" "$work/moved"
if [ -x "$work/moved/bin/oloid" ]; then
    "$work/moved/bin/oloid" --version
    (cd / && PATH="$work/moved/bin:$PATH" oloid models --json) |
        grep -q '"file": "[^"]*/moved/share/oloid/models/' ||
        { echo "the moved command does not find its models"; exit 1; }
    echo "moved: models are found beside the command"
fi
