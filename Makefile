# The front door: CMake and Ninja do the work (CMakePresets.json). `make run` and `make test` begin on a bare Debian.
PACKAGES = scripts/install_packages

CTEST = ctest --output-on-failure -j$(shell nproc) --test-dir

LLVM = $(shell sed -n 's/^set.VT_LLVM_VERSION \([0-9]*\) .*/\1/p' CMakeLists.txt)
VERSION = $(shell sed -n 's/^project.vta VERSION \([0-9.]*\) .*/\1/p' CMakeLists.txt)

# Only plain `make` says where the tool is.
TELL = $(if $(filter-out all,$(or $(MAKECMDGOALS),all)),,yes)

.PHONY: all run test test-all build-tests test-hardware test-cluster prove bench notebook asan tsan fuzz lower clang clang-asan \
        install uninstall dist wheel wheel-arm64 deb test-packages site format check-format clean

all:
	@$(PACKAGES) build
	@cmake --preset release $(if $(wildcard build/CMakeCache.txt),>/dev/null,) -DVT_TESTS=$(or $(TESTS),OFF)
	@cmake --build build
	@$(if $(TELL),echo 'vta is $(CURDIR)/build/vta; for this shell: export PATH="$(CURDIR)/build:$$PATH"')

run: all
	@examples/run

# The tests labelled quick: all that tests/slow.txt does not list.
test: build-tests
	@$(CTEST) build -L '^quick$$'
	@ctest --test-dir build -N -LE '^quick$$' | sed -n 's/^Total Tests: \(.*\)/not run: \1 slower tests (make test-all)/p'

test-all: build-tests
	@$(CTEST) build

build-tests:
	@$(PACKAGES) build test
	@cmake --preset release -DVT_TESTS=ON
	@cmake --build build

# What make test-all leaves out of the hardware's tests, for its time: many configurations, and proofs.
test-hardware: prove
	@cmake --preset release -DVT_TESTS=ON >/dev/null
	@cmake --build build
	@VTA_TEST_HARDWARE=1 ctest --test-dir build -L rtl --output-on-failure --timeout 3600

# Sweeps under a Slurm and an mpirun that it installs and starts here; as root.
test-cluster:
	@$(PACKAGES) build cluster
	@cmake --preset release
	@cmake --build build
	@tests/cluster/test_cluster.py

prove:
	@$(PACKAGES) build test hardware
	@cmake --preset release >/dev/null
	@cmake --build build --target vta_cli
	@hardware/formal/prove build/vta

bench:
	@$(PACKAGES) build bench
	@cmake --preset release -DVT_BENCH=ON
	@cmake --build build
	@bench/run

# A notebook server on the tutorials; `import vta` and `import tvm` find this tree.
notebook: all
	@$(PACKAGES) notebook
	@cd docs/tutorials && PYTHONPATH="$(CURDIR)/python:$(CURDIR)/python/compat" PATH="$(CURDIR)/build:$$PATH" \
	    jupyter notebook $(NOTEBOOK_OPTIONS)

# The same tests under the sanitizers, with clang, and without the compiler half.
asan tsan lower clang:
	@$(PACKAGES) build test
	@cmake --preset $@
	@cmake --build build-$@
	@$(CTEST) build-$@

# What clang warns of, and the quick tests of C under the sanitizers of addresses and undefined behaviour: one build.
clang-asan:
	@$(PACKAGES) build test
	@cmake --preset $@
	@cmake --build build-$@
	@$(CTEST) build-$@ -L '^quick$$'

# Builds the libFuzzer programs into build-fuzz/fuzz; scripts/fuzz runs them.
fuzz:
	@$(PACKAGES) build test
	@cmake --preset fuzz
	@cmake --build build-fuzz

# PREFIX=folder installs there instead of /usr/local.
install: all
	@cmake --install build $(if $(PREFIX),--prefix $(PREFIX))

# Removes what the last `make install` of this tree put in place.
uninstall:
	@cmake -DMANIFEST=build/install_manifest.txt -P cmake/uninstall.cmake

# The sources of a release, which build and pass their tests without git: build/vta-VERSION.tar.gz, of what is committed.
dist:
	@mkdir -p build
	@git archive --format=tar.gz --prefix=vta-$(VERSION)/ -o build/vta-$(VERSION).tar.gz HEAD
	@echo build/vta-$(VERSION).tar.gz

# The documents as a site, with search and references: build-site/html/index.html.
site: all
	@$(PACKAGES) site
	@scripts/make_site build build-site
	@scripts/check_site build-site/html

# Wheels for pip: build-wheel/dist. What the libraries and the tool need besides the C library is linked into them.
wheel:
	@$(PACKAGES) build wheel
	@cmake --preset wheel $(if $(wildcard build-wheel/CMakeCache.txt),>/dev/null,)
	@cmake --build build-wheel --target vta_cli vta_session vta_python vta_manual
	@scripts/make_wheels build-wheel build-wheel/dist

# The same for aarch64, by a cross compiler: build-wheel-arm64/dist. The tool's pages are made by the tool of this machine.
wheel-arm64: wheel
	@$(PACKAGES) build wheel-arm64
	@[ -e build-sysroot/usr ] || scripts/cross_sysroot arm64 build-sysroot compiler
	@cmake --preset wheel-arm64 $(if $(wildcard build-wheel-arm64/CMakeCache.txt),>/dev/null,)
	@cmake --build build-wheel-arm64 --target vta_cli vta_session vta_python
	@cmake -E copy_directory build-wheel/cli/generated build-wheel-arm64/cli/generated
	@scripts/make_wheels build-wheel-arm64 build-wheel-arm64/dist

# Debian packages: build-deb/*.deb, for the Debian that this runs on; lintian looks at them.
deb:
	@$(PACKAGES) build deb
	@scripts/make_debs build-deb

# Wheels and packages in Debians with nothing installed, and built twice, in two folders; as root. scripts/check_fresh
# does the same for a checkout.
test-packages: wheel deb
	@scripts/check_wheel build-wheel/dist build-roots/wheel
	@scripts/check_wheel build-wheel/dist build-roots/wheel13 trixie
	@scripts/check_dockerfile build-roots/docker --version
	@scripts/check_debs build-deb build-roots/deb
	@scripts/check_debs build-deb build-roots/deb13 trixie
	@scripts/check_reproducible build-roots/twice

format check-format:
	@$(PACKAGES) format
	@(git ls-files '*.c' '*.h' 2>/dev/null || find [a-z]*/ -path 'build*' -prune -o -name '*.[ch]' -print) | xargs clang-format-$(LLVM) $(if $(filter format,$@),-i,--dry-run --Werror)

clean:
	@rm -rf build build-*
