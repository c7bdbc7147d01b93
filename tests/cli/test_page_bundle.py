"""The build bundles the page of reports from packages that it fetches from a registry: here a
folder, with packages of a few lines and a bundler that copies."""
import base64
import hashlib
import io
import json
import os
import subprocess
import tarfile

import pytest
from conftest import ROOT

# every letter that a string literal of C writes in another way, in more than one literal
SCRIPT = "".join(f'say("{i}? \\\\ ??/ ;;[{i}]\t\'${{x}}\'");\n' for i in range(300)) + "/*end*/"
STYLE = ':root{content:"\\2713"}\n'
MACHINES = [f"@esbuild/{system}-{cpu}" for system in ("linux", "darwin", "freebsd")
            for cpu in ("x64", "arm64")]


def archive(files):
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as tar:
        for name, text in files.items():
            entry = tarfile.TarInfo(f"package/{name}")
            entry.size, entry.mode = len(text), 0o755
            tar.addfile(entry, io.BytesIO(text.encode()))
    return stream.getvalue()


class Build:
    """A source folder and a registry with three packages."""

    def __init__(self, folder):
        self.folder, self.viewer, self.registry = folder, folder / "viewer", folder / "registry"
        self.output = folder / "page.c"
        (self.viewer / "src").mkdir(parents=True)
        (self.viewer / "src/main.ts").write_text(SCRIPT)
        (self.viewer / "src/style.css").write_text(STYLE)
        self.lock = {"packages": {}}
        bundler = ("#!/bin/sh\nfor i; do case $i in --outdir=*) to=${i#*=} ;; --banner:js=*) "
                   "notice=${i#*=} ;; esac; done\nmkdir -p \"$to\"\n"
                   "{ echo \"$notice\"; cat src/main.ts; } >\"$to/main.js\"\n"
                   "cp src/style.css \"$to/main.css\"\n")
        for package in ("three", "uplot", *MACHINES):
            self.publish(package, {"bin/esbuild": bundler} if package in MACHINES else {})

    def publish(self, package, files, version="1.2.3"):
        data = archive({"package.json": json.dumps({"version": version}), **files})
        at = self.registry / package / "-" / f"{package.split('/')[-1]}-{version}.tgz"
        at.parent.mkdir(parents=True, exist_ok=True)
        at.write_bytes(data)
        hashed = base64.b64encode(hashlib.sha512(data).digest()).decode()
        self.lock["packages"][f"node_modules/{package}"] = {"version": version,
                                                            "integrity": f"sha512-{hashed}"}

    def run(self):
        (self.viewer / "package-lock.json").write_text(json.dumps(self.lock))
        done = subprocess.run(
            ["cmake", f"-DVIEWER={self.viewer}", f"-DOUTPUT={self.output}",
             f"-DEMPTY={ROOT}/cmake/page_empty.c", "-P", f"{ROOT}/cmake/page.cmake"],
            text=True, capture_output=True,
            env={**os.environ, "npm_config_registry": f"file://{self.registry}/"}, check=False)
        assert done.returncode == 0, done.stderr
        return done.stderr

    def program(self):
        """What a program prints that has the page in it: style, script and hash."""
        (self.folder / "main.c").write_text("""#include <stdio.h>
#include "results/page.h"
static void put(const char *const *list) { while (*list) fputs(*list++, stdout); }
int main(void)
{
    const olo_page_bundle *page = &olo_page_bundle_built;
    put(page->style); putchar(0); put(page->script); putchar(0);
    printf("%s%c%zu", page->script_hash, 0, page->size);
}
""")
        subprocess.run(["cc", "-std=c11", "-Werror", f"-I{ROOT}/src", f"-I{ROOT}/include", "-o",
                        self.folder / "main", self.folder / "main.c", self.output], check=True)
        return subprocess.run([self.folder / "main"], check=True,
                              capture_output=True).stdout.decode().split("\0")


@pytest.fixture
def build(tmp_path):
    return Build(tmp_path)


def no_page(build, warning):
    """The bundle is empty, and so old that the next build tries again."""
    empty = ROOT / "cmake/page_empty.c"
    return ("no animation" in warning and build.output.read_text() == empty.read_text() and
            build.output.stat().st_mtime < empty.stat().st_mtime)


def test_the_page_needs_no_npm_and_is_what_the_bundler_wrote(build):
    assert build.run() == ""
    style, script, hashed, size = build.program()
    assert style == STYLE
    notice, script_alone = script.split("\n", 1)
    assert "three.js" in notice and "uPlot" in notice and script_alone == SCRIPT
    assert hashed == base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert int(size) == len(style) + len(script)


@pytest.mark.parametrize("length", range(3))
def test_hashes_of_any_length_are_written_in_base64(tmp_path, length):
    """32 bytes of SHA-256 leave two digits, 64 of SHA-512 one; checked with any remainder."""
    data = bytes(range(250, 256)) + bytes(length)
    (tmp_path / "hash.cmake").write_text(
        f'file(READ "{ROOT}/cmake/page_bundle.cmake" text)\n'
        'string(REGEX MATCH "function.base64_of.*" text "${text}")\n'
        'string(FIND "${text}" "endfunction()" end)\n'
        'string(SUBSTRING "${text}" 0 ${end} text)\n'
        'cmake_language(EVAL CODE "${text}endfunction()")\n'
        f'base64_of({data.hex()} result)\nmessage("${{result}}")\n')
    done = subprocess.run(["cmake", "-P", tmp_path / "hash.cmake"], text=True, capture_output=True,
                          check=True)
    assert done.stderr.strip() == base64.b64encode(data).decode()


def test_packages_that_are_there_are_not_fetched_but_other_versions_are(build):
    build.run()
    build.registry.rename(build.folder / "gone")
    assert build.run() == ""
    (build.folder / "gone").rename(build.registry)
    build.publish("uplot", {}, version="1.2.4")
    assert build.run() == ""
    installed = json.loads((build.viewer / "node_modules/uplot/package.json").read_text())
    assert installed["version"] == "1.2.4"


def test_without_network_the_build_continues_without_the_page(build):
    build.registry.rename(build.folder / "gone")
    warning = build.run()
    assert no_page(build, warning) and "three-1.2.3.tgz" in warning


def test_a_package_with_another_hash_is_refused(build):
    entry = build.lock["packages"]["node_modules/uplot"]
    entry["integrity"] = entry["integrity"].replace(entry["integrity"][20], "A" if
                                                    entry["integrity"][20] != "A" else "B", 1)
    warning = build.run()
    assert no_page(build, warning) and "uplot" in warning and "hash" in warning
    assert not (build.viewer / "node_modules/uplot").exists()


@pytest.mark.parametrize("file, text", [("main.ts", "'</script>'"), ("main.ts", "'<!--'"),
                                        ("style.css", "'</style'"), ("main.ts", "'\u00b5'")])
def test_what_would_not_be_a_script_or_style_is_refused(build, file, text):
    (build.viewer / "src" / file).write_text(text, encoding="utf-8")
    assert no_page(build, build.run())


def test_packages_that_cannot_be_written_leave_no_page(build):
    (build.viewer / "node_modules").write_text("")  # a file where the folder should be
    assert no_page(build, build.run())
