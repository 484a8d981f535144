#!/bin/sh
# Asks Mesa's RADV compiler about AMD cards that are not there: tools/shader_stats.ts for one card of each generation.
#   usage: tools/radv_stats.sh MODEL... [options of shader_stats.ts]
#   CARDS   names by RADV (default: navi21 for RDNA 2, navi31 for RDNA 3, gfx1201 for RDNA 4)
#   SUITE   Debian suite whose Mesa compiles (default: trixie, Mesa 25.0; sid has a newer one)
# The first run puts that suite's drivers into zinc's cache: it needs root, debootstrap and a Debian mirror, and about 1 GB.
# The drivers run under their own C library, beside which this system's deno is started, so the host may be older.
set -eu
: "${CARDS:=navi21 navi31 gfx1201}" "${SUITE:=trixie}"
here=$(dirname "$(readlink -f "$0")")
root=${XDG_CACHE_HOME:-$HOME/.cache}/zinc/drivers-$SUITE
libraries=$root/usr/lib/x86_64-linux-gnu
if [ ! -e "$libraries/libvulkan_radeon.so" ]; then
  command -v debootstrap >/dev/null || { echo "radv_stats.sh: install debootstrap first" >&2; exit 1; }
  echo "radv_stats.sh: fetching the drivers of Debian $SUITE into $root" >&2
  rm -rf "$root"
  debootstrap --variant=minbase --include=ca-certificates,mesa-vulkan-drivers,libvulkan1 "$SUITE" "$root" >&2
fi
failed=0
for card in $CARDS; do
  RADV_FORCE_FAMILY=$card VK_DRIVER_FILES=$root/usr/share/vulkan/icd.d/radeon_icd.json \
    "$libraries/ld-linux-x86-64.so.2" --library-path "$libraries" "$(command -v deno)" \
    run -A "$here/shader_stats.ts" "$@" || failed=1
done
exit $failed
