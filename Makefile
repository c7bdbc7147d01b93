# Short names for what one does most; the build itself is CMake's (see CMakePresets.json).
PREFIX ?= /usr/local
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
release := build/release
MAKEFLAGS += --no-print-directory

.PHONY: build demo check bench bench-peers study install format tidy clean help

build: ## build the library and the command into build/release (the default)
	@tools/install-deps
	@cmake --preset release -DOLOID_TESTS=OFF $(options) >/dev/null
	@cmake --build --preset release -j $(JOBS)

demo: build ## build, then turn the six-body linkage inside out and print the summary
	$(release)/oloid run six-body-linkage

check: ## build, test, sanitize, check the format; ends with "N passed, N failed"
	@JOBS=$(JOBS) tools/check

bench: build ## build and run the benchmarks, print one table
	@cmake --build --preset release -j $(JOBS) --target bench
	@bench/run $(release)

# An engine that is not there is left out. Pictures and table go to the build; docs/performance.md says how to put them
# into the documentation.
bench-peers: ## build and compare with Simbody, Bullet, DART and MuJoCo, contacts with Siconos (ten minutes)
	@tools/install-deps --peers || echo "bench-peers: goes on with what is there"
	@$(MAKE) build options=-DOLOID_PEERS=ON
	@cmake --build --preset release -j $(JOBS) --target bench-peers
	@$(plot_python) bench/peers/run --build $(release)
	@$(plot_python) bench/peers/plot $(release)/peers.csv
	@$(plot_python) bench/peers/contact_run --build $(release)
plot_python = $(shell for python in python3 /usr/bin/python3 /usr/local/bin/python3; do \
    $$python -c "import numpy, matplotlib" 2>/dev/null && echo $$python && break; done)

study: build ## run the studies whose numbers the documentation shows
	@[ -x tools/study ] || { echo "study: tools/study is not there"; exit 1; }
	@OLOID=$(CURDIR)/$(release)/oloid tools/study

install: options = -DCMAKE_INSTALL_PREFIX=$(abspath $(PREFIX))
install: build ## install into PREFIX (/usr/local)
	@cmake --install $(release)

format: ## format all C and C++ sources
	@tools/format

tidy: build ## run clang-tidy over the sources
	@find src -name '*.c' | sort | xargs -r clang-tidy --quiet -p $(release) 2>&1 | \
	    sed '/warnings\{0,1\} generated\.$$/d'

clean: ## remove all builds
	rm -rf build

help: ## list the targets
	@awk -F ': .*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile
