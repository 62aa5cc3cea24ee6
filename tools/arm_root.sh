#!/bin/sh
# A folder with Python for aarch64 and the wheels of the tests, run by qemu-user: Debian's own packages, unpacked and not
# installed, so no rights are needed.  `FOLDER/bin/python` is that Python, `FOLDER/bin/cc` the cross compiler.
set -eu
root=$(mkdir -p "$1" && cd "$1" && pwd)
pip=$2
mkdir -p "$root/bin" "$root/apt/lists/partial" "$root/apt/cache/archives/partial" "$root/site"

cat > "$root/apt/apt.conf" <<CONF
Dir::State::Lists "$root/apt/lists";
Dir::State::status "$root/apt/status";
Dir::Cache "$root/apt/cache";
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
APT::Install-Recommends "false";
CONF
: > "$root/apt/status"
export APT_CONFIG="$root/apt/apt.conf"
apt-get -qq update
version=$(apt-cache depends python3-minimal | sed -n 's/.*Depends: python\(3\.[0-9]*\)-minimal.*/\1/p' | head -1)
apt-get -qq --download-only -y install "python$version-minimal" "libpython$version-stdlib" libstdc++6
for package in "$root"/apt/cache/archives/*.deb; do dpkg-deb -x "$package" "$root"; done

"$pip" install --quiet --disable-pip-version-check --only-binary=:all: --python-version "$version" --upgrade \
  --platform manylinux_2_28_aarch64 --platform manylinux_2_27_aarch64 --platform manylinux2014_aarch64 --target "$root/site" \
  numpy llvmlite rich platformdirs pytest hypothesis mpmath scipy
cat > "$root/site/sitecustomize.py" <<CODE
import sys
sys.executable = "$root/bin/python"  # a child of a test is emulated, too
CODE
cat > "$root/bin/python" <<CODE
#!/bin/sh
PATH="$root/bin:\$PATH" PYTHONPATH="$root/site:\$PYTHONPATH" PYTHONDONTWRITEBYTECODE=1 \
  exec qemu-aarch64 -L "$root" "$root/usr/bin/python$version" "\$@"
CODE
chmod +x "$root/bin/python"
ln -sf "$(command -v aarch64-linux-gnu-gcc)" "$root/bin/cc"
touch "$root/.ready"
