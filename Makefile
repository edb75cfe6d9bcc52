# SPDX-License-Identifier: Apache-2.0
# make        set up what is needed and run the pipeline; ARGS= goes to snakemake
# make study  the same for a study, NAME=patch: config/studies/patch.yaml or studies/*/patch.yaml
# make answer  what a pull request changes: make answer ARGS='--patch ../keras'
# make check-model  what a model does on each framework: make check-model MODEL=my-models/models/mlp
# make verify  checks an archive: make verify ZIP=millistep-laptop-cpu.zip
# make environments   what a run needs, and no run: before a machine goes without a network
# make test   set up what is needed, check style and types and run the tests; ARGS= goes to pytest
# make quick  the tests that need no framework and no browser: one to two minutes
# make lint   style, types and the language of texts alone; make tests: the tests alone
# make docs   the site of the documents, in site/
# make example   keeps what is in results/ as the documents' example of a report

SHELL := bash
PYTHON ?= python3
ARGS ?=

# These environments are complete; a module of the caller's could take the place of one in them.
unexport PYTHONPATH
# Our own environment brings uv, which installs all others.
export PATH := $(PATH):$(CURDIR)/.venv/bin

# Install $(1), of the definition $(3), into the cache, unless it is there, and link to it as $(2).
environment = $(PYTHON) workflow deploy --name $(1) --definition envs/$(3) \
	--method venv --marker $(2).json --link $(2)

# Snakemake refuses a conda before 24.7.1.
usable_conda = conda=$$(conda --version 2>/dev/null) && \
	[ "$$(printf '%s\n' 24.7.1 "$${conda\#\#* }" | sort -V | head -n 1)" = 24.7.1 ]

# One worker a processor; tests/conftest.py says which test goes where, and in which order.
workers = --numprocesses logical --maxprocesses 4 --dist loadscope --no-loadscope-reorder

# Its options of several values come first: what follows in ARGS may be a target.
snakemake = export PATH="$(CURDIR)/.venv/bin:$$PATH"; \
	if $(usable_conda); then deploy=--use-conda; fi; \
	set -- $(1) --quiet all --cores all $${deploy:-} $(ARGS); \
	python workflow check "$$@" && snakemake "$$@"

study_files = $(wildcard config/studies/*.yaml studies/*/*.yaml)
studies = $(sort $(notdir $(basename $(study_files))))
one_study = $(and $(filter 1,$(words $(NAME))),$(filter $(studies),$(NAME)))
# That one has a column alone, unless `make answer` writes them.
offered = $(filter-out pull_request,$(studies)); for a pull request: make answer

.PHONY: run environments study known_study answer check-model verify named_archive test tests quick lint docs \
	example .venv .venv-analysis .venv-test .venv-snakefmt .venv-docs

run: .venv
	@$(call snakemake)

environments: .venv
	@$(call snakemake,environments)

study: known_study .venv
	@$(call snakemake,--configfile $(filter %/$(NAME).yaml,$(study_files)))

# make ends with status 2 unless nothing is slower; the program's own status tells more.
answer: .venv
	@export PATH="$(CURDIR)/.venv/bin:$$PATH"; if $(usable_conda); then deploy=--use-conda; fi; \
	python workflow answer $${deploy:-} $(ARGS)

check-model: .venv
	@.venv/bin/python workflow check-model $(ARGS) "$(MODEL)"

verify: named_archive .venv-analysis
	@.venv-analysis/bin/python workflow verify "$(ZIP)"

known_study:
	@$(if $(one_study),,$(error NAME=$(NAME): no such study; allowed are $(offered)))
	@$(if $(word 2,$(filter %/$(NAME).yaml,$(study_files))),$(error NAME=$(NAME): several studies have this name))

named_archive:
	@$(if $(ZIP),,$(error name the archive: ZIP=millistep-laptop-cpu.zip))

pytest = PATH="$(CURDIR)/.venv-test/bin:$$PATH" pytest $(workers)

test: lint docs tests

tests: .venv-test
	@$(pytest) $(ARGS)

quick: .venv-test
	@$(pytest) -m quick $(ARGS)

lint: .venv-test .venv-snakefmt
	@export PATH="$(CURDIR)/.venv-test/bin:$$PATH"; \
	ruff check && ruff format --check && mypy && python docs/prose.py && \
	.venv-snakefmt/bin/snakefmt --check Snakefile workflow/Snakefile workflow/rules && \
	snakemake --lint

docs: .venv-docs
	@.venv-docs/bin/python -m sphinx -W --keep-going -q -c docs . site

# The example and the figures of the documents, from the results of a default run.
example: .venv .venv-test
	@export PATH="$(CURDIR)/.venv-test/bin:$$PATH"; python docs/example.py && python docs/figures.py

.venv:
	@$(call environment,workflow,.venv,workflow.txt)

.venv-analysis .venv-test .venv-snakefmt .venv-docs: .venv-%:
	@$(call environment,$*,$@,$(notdir $(wildcard envs/$*.yaml envs/$*.txt)))
