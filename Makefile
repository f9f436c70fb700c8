# The default rule builds the strongest executable for this machine under the name that OpenBench asks for:
#     make EXE=herald
EXE ?= herald
NATIVE := -C target-cpu=native

.PHONY: openbench native tournament speed help

openbench: native
	cp target/native/tournament/herald $(EXE)

native: ## for this machine only: all its instructions, whole-program optimisation
	RUSTFLAGS="$(NATIVE)" cargo build --profile tournament --target-dir target/native --bin herald

tournament: ## for any x86-64 machine since 2009: whole-program optimisation
	cargo build --profile tournament --bin herald

speed: ## nodes per second beside those of the peers that are installed
	cargo build --release --bin herald
	benches/speed.sh target/release/herald

help: ## this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/:/'
