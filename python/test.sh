#!/usr/bin/env bash
# Installs the wheel in python/dist into an environment of each Python, outside the tree, and runs the tests there.
# python/test.sh --notebooks PYTHON runs the notebooks there instead, and keeps what they show.
# python/test.sh [PYTHON…]: without any, every Python from 3.10 on that is in the PATH or is known to pyenv.
set -euo pipefail
cd "$(dirname "$0")"
cache=${XDG_CACHE_HOME:-$HOME/.cache}/boost
only=
notebooks=
case ${1:-} in
--environment) # says where the environment is, and runs nothing
	only=1
	shift
	;;
--notebooks)
	notebooks=1
	shift
	;;
esac
pythons=("$@")
if [ $# -eq 0 ]; then
	for minor in 10 11 12 13 14; do
		for python in python3.$minor "$HOME"/.pyenv/versions/3.$minor.*/bin/python; do
			if "$python" -c '' 2>/dev/null; then
				pythons+=("$python")
				break
			fi
		done
	done
fi
[ ${#pythons[@]} -gt 0 ] || { echo "there is no Python 3.10 or newer" >&2; exit 1; }
for python in "${pythons[@]}"; do
	version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
	environment=$cache/python-$version-$(cksum <requirements-test.txt | cut -d ' ' -f 1)
	if [ -n "$only" ]; then
		echo "$environment"
		continue
	fi
	echo "--- Python $version"
	if [ ! -e "$environment/complete" ]; then
		"$python" -m venv --clear "$environment"
		"$environment/bin/pip" install -q --disable-pip-version-check --only-binary :all: -r requirements-test.txt
		touch "$environment/complete"
	fi
	"$environment/bin/pip" install -q --disable-pip-version-check --no-deps --force-reinstall dist/boost_gbt-*-py3-none-*"$(uname -m)"*.whl
	if [ -n "$notebooks" ]; then
		PATH="$environment/bin:$PATH" "$environment/bin/python" notebooks.py
		continue
	fi
	"$environment/bin/python" -m pytest -q -p no:cacheprovider tests
	TQDM_DISABLE=1 "$environment/bin/python" -m pytest -q -p no:cacheprovider --nbmake ../examples/notebooks
done
