#!/usr/bin/env bash
# Installs the wheel in python/dist into an environment with Spark, Ray and Dask, outside the tree, and tests these there.
# python/engines.sh [OPTION…]: options are pytest's, such as -m "not slow". PYTHON=python3.11 names the Python.
set -euo pipefail
cd "$(dirname "$0")"
python=${PYTHON:-python3.11}
environment=${XDG_CACHE_HOME:-$HOME/.cache}/boost/engines-$(cksum <requirements-engines.txt | cut -d ' ' -f 1)
skip() {
	echo "the engines are not tested: $1" >&2
	exit 0
}
command -v java >/dev/null || skip "Spark needs java 17, and there is none"
"$python" -c '' 2>/dev/null || skip "there is no $python"
if [ ! -e "$environment/complete" ]; then
	"$python" -m venv --clear "$environment"
	"$environment/bin/pip" install -q --disable-pip-version-check -r requirements-engines.txt || skip "pyspark and the others cannot be installed"
	touch "$environment/complete"
fi
"$environment/bin/pip" install -q --disable-pip-version-check --no-deps --force-reinstall dist/boost_gbt-*-py3-none-manylinux*"$(uname -m)"*.whl
cd engines
"$environment/bin/python" -m pytest -q -p no:cacheprovider -c pytest.ini "$@"
