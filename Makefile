# Short names for what one does most; the build itself is CMake's (see CMakePresets.json).
PREFIX ?= /usr/local
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
release := build/release
MAKEFLAGS += --no-print-directory

.PHONY: build demo check bench study install format tidy clean help

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

study: build ## run the studies whose numbers the documentation shows
	@[ -x tools/study ] || { echo "study: tools/study is not there"; exit 1; }
	@OLOID=$(CURDIR)/$(release)/oloid tools/study

install: options = -DCMAKE_INSTALL_PREFIX=$(abspath $(PREFIX))
install: build ## install into PREFIX (/usr/local)
	@cmake --install $(release)

format: ## format all C sources
	@tools/format

tidy: build ## run clang-tidy over the sources
	@find src -name '*.c' | sort | xargs -r clang-tidy --quiet -p $(release) 2>&1 | \
	    sed '/warnings\{0,1\} generated\.$$/d'

clean: ## remove all builds
	rm -rf build

help: ## list the targets
	@awk -F ': .*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' Makefile
