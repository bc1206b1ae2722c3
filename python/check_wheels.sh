#!/usr/bin/env bash
# Checks the wheels in python/dist and the source archive, as an index and installers take them: twine, auditwheel, size,
# and that building from source without Go says that it needs Go.
set -euo pipefail
cd "$(dirname "$0")"
readonly most=$((16 * 1000 * 1000)) # bytes of a wheel
tools=${XDG_CACHE_HOME:-$HOME/.cache}/boost/wheels-$(cksum <requirements-wheels.txt | cut -d ' ' -f 1)
if [ ! -e "$tools/complete" ]; then
	python3 -m venv --clear "$tools"
	"$tools/bin/pip" install -q --disable-pip-version-check --only-binary :all: -r requirements-wheels.txt
	touch "$tools/complete"
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$tools/bin/python" -c 'import build_backend, sys; build_backend.build_sdist(sys.argv[1])' "$work"
"$tools/bin/twine" check --strict dist/boost_gbt-*.whl "$work"/boost_gbt-*.tar.gz
for wheel in dist/boost_gbt-*.whl; do
	bytes=$(wc -c <"$wheel")
	[ "$bytes" -le "$most" ] || { echo "$wheel has $bytes bytes, more than $most" >&2; exit 1; }
	case $wheel in *linux*)
		"$tools/bin/auditwheel" show "$wheel" | tee "$work/audit"
		grep -q "requires no external shared libraries" "$work/audit"
		;;
	esac
done
mkdir "$work/empty"
if PATH="$work/empty" "$tools/bin/python" -m pip wheel -q --disable-pip-version-check --no-deps -w "$work" "$work"/boost_gbt-*.tar.gz 2>"$work/says"; then
	echo "the source archive was built without Go" >&2
	exit 1
fi
grep -q "building boost-gbt from source needs Go" "$work/says"
