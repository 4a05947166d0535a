#!/bin/sh
# Installs Crosscheck into PREFIX, a virtual environment without pip: what deploy/requirements.lock names, each file by
# its hash, then Crosscheck itself. Nothing else is resolved, built or fetched. The image and a bare host use it alike.
set -eu

prefix=${1:?usage: install.sh PREFIX, e.g. /opt/crosscheck; PYTHON names the interpreter}
python=${PYTHON:-python3.11}
source=$(cd "$(dirname "$0")/.." && pwd)
umask 022 # readable by the user that runs it, writable by the one who installs
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

pip() { "$work/build/bin/python" -m pip --disable-pip-version-check --quiet "$@"; }
locked="--require-hashes --no-deps --only-binary=:all:"

"$python" -m venv "$work/build"
"$python" -m venv --clear --without-pip "$prefix"
# shellcheck disable=SC2086  # several words
pip install $locked -r "$source/deploy/build.lock"
# shellcheck disable=SC2086
pip --python "$prefix/bin/python" install $locked -r "$source/deploy/requirements.lock"

# The build leaves nothing in the source folder, and takes nothing from an earlier one there.
printf '[build]\nbuild_base = %s\n[egg_info]\negg_base = %s\n' "$work" "$work" >"$work/build.cfg"
DIST_EXTRA_CONFIG="$work/build.cfg" pip wheel --no-deps --no-build-isolation --wheel-dir "$work" "$source"
pip --python "$prefix/bin/python" install --no-deps --no-index "$work"/crosscheck-*.whl
pip --python "$prefix/bin/python" check
