"""The report: one self-contained HTML file, computed from the plan and its records."""
