# SPDX-License-Identifier: Apache-2.0
# The workflow, where one looks for it first; workflow/Snakefile is its table of contents.
include: "workflow/Snakefile"


workflow.default_target = "all"  # that of an included file does not count
