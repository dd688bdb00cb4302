# Sourced by ./demo and ./check: installs what is missing and builds. Not a command by itself.

started=$SECONDS
say() { printf '==> %s\n' "$*"; }
took() { printf '    done in %d s\n' "$((SECONDS - $1))"; }

# install PACKAGE...: the Debian packages that are not on this machine yet
install() {
  local missing=() package
  for package in "$@"; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    if command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
      as_root=(sudo)
    else
      echo "Missing packages, and no right to install them. As root, run:" >&2
      echo "  apt-get install --no-install-recommends ${missing[*]}" >&2
      exit 2
    fi
  fi
  local from=$SECONDS
  say "installing ${missing[*]}"
  if ! "${as_root[@]}" apt-get update -qq ||
     ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
         --no-install-recommends "${missing[@]}" >/dev/null; then
    echo "Could not install. As root, run:" >&2
    echo "  apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 2
  fi
  took "$from"
}

# build PRESET [TARGET...]: configures once, then builds
build() {
  local preset=$1 from=$SECONDS
  shift
  say "building ($preset) in build/$preset"
  [ -f "build/$preset/build.ninja" ] || cmake --preset "$preset" >"/dev/null"
  cmake --build --preset "$preset" ${@:+--target "$@"}
  took "$from"
}

build_packages=(g++ cmake ninja-build ccache git libeigen3-dev libfmt-dev libcli11-dev
  nlohmann-json3-dev libmetis-dev libopenblas-dev libxxhash-dev libhdf5-dev zlib1g-dev
  libtomlplusplus-dev libboost-dev libgtest-dev librsvg2-bin fonts-dejavu-core pybind11-dev python3-dev)
# the viewer's page is bundled by npm; a node that is not Debian's brings its own
command -v npm >/dev/null || build_packages+=(nodejs npm)
check_packages=("${build_packages[@]}" clang clang-format clang-tidy python3 gmsh calculix-ccx chromium valgrind
  python3-numpy python3-scipy python3-matplotlib python3-pytest python3-pip python3-venv mypy)
