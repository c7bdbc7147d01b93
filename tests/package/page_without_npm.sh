#!/bin/sh
# A build without npm, or whose npm fails, continues and has no animated page.
#
#   page_without_npm.sh CMAKE SOURCE_DIR
set -eu
cmake=$1 source=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

mkdir "$folder/viewer"
cp "$source/viewer/package.json" "$source/viewer/package-lock.json" "$folder/viewer"
bundle() { # npm, node
    "$cmake" "-DNPM=$1" "-DNODE=$2" "-DVIEWER=$folder/viewer" "-DOUTPUT=$folder/page.c" \
        "-DEMPTY=$source/cmake/page_empty.c" -P "$source/cmake/page.cmake" >"$folder/log" 2>&1
}

# npm that fails: no page, a warning, and a bundle so old that the next build tries again
bundle false false
cmp "$folder/page.c" "$source/cmake/page_empty.c"
grep -q "no animation" "$folder/log"
[ "$source/cmake/page_empty.c" -nt "$folder/page.c" ]

# packages that are there, but cannot be bundled: the same
mkdir -p "$folder/viewer/node_modules"
rm "$folder/page.c"
bundle true false
cmp "$folder/page.c" "$source/cmake/page_empty.c"
echo "a failed npm leaves a build without the page"
