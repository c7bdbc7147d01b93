#!/bin/sh
# The libraries show what the public headers declare and nothing else: every symbol that the shared
# library exports, and every global symbol of the static one, begins with olo_ and is declared
# OLO_API in a public header.
#
#   exported_symbols.sh NM SHARED STATIC HEADER-DIR...
set -eu
nm=$1 shared=$2 static=$3
shift 3

headers=$(for dir in "$@"; do find "$dir" -name '*.h'; done)
# each declaration on one line, up to its parenthesis or semicolon
declared=$(cat $headers | tr '\n' ' ' | tr ';' '\n' |
    sed -n 's/.*OLO_API[^(]*[^a-z0-9_(]\(olo_[a-z0-9_]*\).*/\1/p' | sort -u)

check() { # kind, symbols
    [ -n "$2" ] || { echo "$1: no symbols at all"; return 1; }
    bad=0
    for symbol in $2; do
        case $symbol in
        olo_*) ;;
        *) echo "$1: $symbol does not begin with olo_"; bad=1; continue ;;
        esac
        echo "$declared" | grep -qx "$symbol" ||
            { echo "$1: $symbol is not declared OLO_API in a public header"; bad=1; }
    done
    return $bad
}

exported=$("$nm" -D --defined-only "$shared" | awk '{ sub(/@.*/, "", $NF); print $NF }')
check "shared library" "$exported"

# where the objects could not be joined, internals stay visible there, but under our prefix
global=$("$nm" -g --defined-only "$static" 2>/dev/null | awk 'NF == 3 { print $3 }')
if echo "$global" | grep -qx olo_fail; then
    echo "static library: internal symbols are visible (not joined on this system)"
    others=$(echo "$global" | grep -v '^olo_' || true)
    [ -z "$others" ] || { echo "static library: $others"; exit 1; }
else
    check "static library" "$global"
fi
echo "$(echo "$exported" | wc -l) exported symbols, all declared OLO_API"
