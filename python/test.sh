#!/usr/bin/env bash
# Installs the wheel in python/dist into an environment of each Python, outside the tree, and runs the tests there.
# Before, the wheel goes into an empty environment, and the README's example runs there.
# python/test.sh --notebooks PYTHON runs the notebooks there instead, and keeps what they show.
# python/test.sh [--short] [PYTHON…]: without any, every Python from 3.10 on that is in the PATH or is known to pyenv; it
# says which of them are not here. --short does a part of what takes long.
set -euo pipefail
cd "$(dirname "$0")"
cache=${XDG_CACHE_HOME:-$HOME/.cache}/boost
only=
notebooks=
short=
case ${1:-} in
--environment) # says where the environment is, and runs nothing
	only=1
	shift
	;;
--notebooks)
	notebooks=1
	shift
	;;
--short)
	short=--short
	shift
	;;
esac
pythons=("$@")
absent=
if [ $# -eq 0 ]; then
	for version in 3.10 3.11 3.12 3.13 3.14 3.14t; do
		found=
		flags=${version##*[0-9]} # t: without the GIL
		for python in python$version "$HOME"/.pyenv/versions/${version%t}.*$flags/bin/python; do
			if "$python" -c "import sys; sys.exit(sys.abiflags != '$flags')" 2>/dev/null; then
				found=$python
				break
			fi
		done
		[ -n "$found" ] && pythons+=("$found") || absent+=" $version"
	done
fi
[ ${#pythons[@]} -gt 0 ] || { echo "there is no Python 3.10 or newer" >&2; exit 1; }
system=manylinux
[ "$(uname -s)" != Darwin ] || system=macosx
fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT
for python in "${pythons[@]}"; do
	version=$("$python" -c 'import sys; print("%d.%d%s" % (*sys.version_info[:2], sys.abiflags))')
	environment=$cache/python-$version-$(cksum <requirements-test.txt | cut -d ' ' -f 1)
	if [ -n "$only" ]; then
		echo "$environment"
		continue
	fi
	echo "--- Python $version"
	wheel=$(echo dist/boost_gbt-*-py3-none-"$system"*"$(uname -m)"*.whl)
	if [ -z "$notebooks" ]; then
		"$python" -m venv --clear "$fresh"
		"$fresh/bin/pip" install -q --disable-pip-version-check --only-binary :all: "$wheel"
		(cd .. && "$fresh/bin/python" python/readme.py README.md && "$fresh/bin/boost" version >/dev/null && "$fresh/bin/python" -m boost_gbt version >/dev/null)
	fi
	if [ ! -e "$environment/complete" ]; then
		"$python" -m venv --clear "$environment"
		needs=$(<requirements-test.txt)
		[ "$version" = "${version%t}" ] || needs=$(grep -v '^polars' <<<"$needs") # which has no wheel for Python without the GIL
		"$environment/bin/pip" install -q --disable-pip-version-check --only-binary :all: -r <(cat <<<"$needs")
		touch "$environment/complete"
	fi
	"$environment/bin/pip" install -q --disable-pip-version-check --no-deps --force-reinstall "$wheel"
	if [ -n "$notebooks" ]; then
		PATH="$environment/bin:$PATH" "$environment/bin/python" notebooks.py
		continue
	fi
	"$environment/bin/python" -m pytest -q -p no:cacheprovider $short tests
	TQDM_DISABLE=1 "$environment/bin/python" -m pytest -q -p no:cacheprovider --nbmake ../examples/notebooks
done
[ -z "$absent" ] || echo "not tested, because there is no such Python here:$absent" >&2
