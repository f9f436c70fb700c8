# The default rule builds the strongest executable for this machine under the name that OpenBench asks for:
#     make EXE=herald
# It needs nothing but make and cargo, on Linux, macOS and Windows alike: cargo itself writes the executable.
EXE ?= herald
PROFILE := tournament
TARGET := target/native
ifeq ($(OS),Windows_NT)
NAME := $(EXE:.exe=).exe
else
NAME := $(EXE)
endif

.PHONY: openbench native tournament speed help

openbench: native

native: export RUSTFLAGS := -C target-cpu=native
native: ## for this machine only: all its instructions, whole-program optimisation
	cargo rustc --profile $(PROFILE) --target-dir $(TARGET) --bin herald -- --emit link=$(NAME)

tournament: ## for any x86-64 machine since 2009: whole-program optimisation
	cargo build --profile tournament --bin herald

speed: ## nodes per second beside those of the peers that are installed
	cargo build --release --bin herald
	benches/speed.sh target/release/herald

help: ## this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/:/'
