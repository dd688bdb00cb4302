"""What `pip install .` calls: builds the module by CMake and packs it. Needs nothing from a package
index; compilers and libraries are those of tools/prepare.sh.

STICKSLIP_BUILD_DIR names a build tree to use, in place of build/pip."""
import base64
import csv
import hashlib
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def version():
    return re.search(r"project\(stickslip VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


def metadata():
    return (f"Metadata-Version: 2.1\nName: stickslip\nVersion: {version()}\n"
            "Summary: Haptic rendering of deformable bodies in frictional contact\n"
            "License: Apache-2.0\nRequires-Python: >=3.9\nRequires-Dist: numpy\n")


def run(*command):
    subprocess.run([str(part) for part in command], check=True)


def build(prefix):
    """The package, installed under a prefix."""
    folder = pathlib.Path(os.environ.get("STICKSLIP_BUILD_DIR", ROOT / "build/pip"))
    if not (folder / "CMakeCache.txt").exists():
        generator = ["-G", "Ninja"] if shutil.which("ninja") else []
        run("cmake", "-S", ROOT, "-B", folder, *generator, "-DCMAKE_BUILD_TYPE=Release",
            "-DSTICKSLIP_TESTS=OFF", "-DSTICKSLIP_BENCH=OFF", "-DSTICKSLIP_CLI=OFF",
            "-DSTICKSLIP_REQUIRE_PYTHON=ON", f"-DPython_EXECUTABLE={sys.executable}")
    run("cmake", "--build", folder, "--target", "stickslip_python", "--parallel", os.cpu_count() or 1)
    run("cmake", "--install", folder, "--component", "python", "--prefix", prefix)
    return next(prefix.rglob("stickslip"))


def record_row(name, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return name, f"sha256={digest}", len(data)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    platform = re.sub(r"[-.]", "_", sysconfig.get_platform())
    tag = f"{python}-{python}-{platform}"
    info = f"stickslip-{version()}.dist-info"
    name = f"stickslip-{version()}-{tag}.whl"
    with tempfile.TemporaryDirectory() as prefix:
        package = build(pathlib.Path(prefix))
        files = {f"stickslip/{path.name}": path.read_bytes() for path in sorted(package.iterdir())
                 if path.is_file()}
    files[f"{info}/METADATA"] = metadata().encode()
    files[f"{info}/WHEEL"] = (f"Wheel-Version: 1.0\nGenerator: stickslip\nRoot-Is-Purelib: false\n"
                              f"Tag: {tag}\n").encode()
    files[f"{info}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    record = io.StringIO()
    rows = csv.writer(record, lineterminator="\n")
    rows.writerows(record_row(path, data) for path, data in files.items())
    rows.writerow((f"{info}/RECORD", "", ""))
    files[f"{info}/RECORD"] = record.getvalue().encode()
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in files.items():
            wheel.writestr(path, data)
    return name


def build_sdist(sdist_directory, config_settings=None):
    top = f"stickslip-{version()}"
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True).stdout
    with tarfile.open(pathlib.Path(sdist_directory) / f"{top}.tar.gz", "w:gz") as sdist:
        for path in filter(None, listed.decode().split("\0")):
            sdist.add(ROOT / path, f"{top}/{path}")
        told = tarfile.TarInfo(f"{top}/PKG-INFO")
        told.size = len(metadata().encode())
        sdist.addfile(told, io.BytesIO(metadata().encode()))
    return f"{top}.tar.gz"
