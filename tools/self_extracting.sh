#!/bin/sh
# zinc as one executable: this script, and behind it a compressed archive of the deno runtime and of zinc as one
# JavaScript file. The first start unpacks the archive into the cache folder, later ones use what is there. Where
# nothing can be kept, each start unpacks into a temporary folder, which zinc deletes as soon as it runs.
set -eu

ARCHIVE_ID=@ARCHIVE_ID@
ARCHIVE_OFFSET=@ARCHIVE_OFFSET@

unpack() { tail -c "+$ARCHIVE_OFFSET" "$0" | tar xzof - -C "$1" 2>/dev/null; }

# Runs zinc from the folder `$1` with the arguments of this script behind it.
start() {
  folder=$1
  shift
  DENO_DIR=$folder/cache DENO_NO_UPDATE_CHECK=1 DENO_NO_PACKAGE_JSON=1 exec "$folder/deno" run --quiet --no-prompt -A \
    --no-config --no-lock --no-remote --no-npm "$folder/zinc.js" "$@"
}

# Unpacks beside the final folder and renames, so that two first starts at once do not meet.
install_into() {
  mkdir -p "${1%/*}" 2>/dev/null && staging=$(mktemp -d "$1.XXXXXX" 2>/dev/null) || return 1
  if unpack "$staging" && "$staging/deno" --version >/dev/null 2>&1 && mv "$staging" "$1" 2>/dev/null; then
    rm -rf "${1:?}/${staging##*/}" # where another start was faster, mv put the folder inside
    return 0
  fi
  rm -rf "$staging"
  [ -x "$1/deno" ]
}

cache=${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}}
if [ -n "$cache" ]; then
  runtime=$cache/zinc/runtime-$ARCHIVE_ID
  if [ -x "$runtime/deno" ] || install_into "$runtime"; then start "$runtime" "$@"; fi
fi

for place in "${TMPDIR:-/tmp}" /tmp /var/tmp /dev/shm; do
  temporary=$(mktemp -d "$place/zinc-runtime-XXXXXX" 2>/dev/null) || continue
  if unpack "$temporary" && "$temporary/deno" --version >/dev/null 2>&1; then
    ZINC_TEMPORARY_RUNTIME=1
    export ZINC_TEMPORARY_RUNTIME
    start "$temporary" "$@"
  fi
  rm -rf "$temporary"
done
echo "zinc: cannot unpack itself: set XDG_CACHE_HOME or TMPDIR to a folder with 150 MB of room for programs" >&2
exit 1
