"""An atlas: many archives side by side, of other machines, days and library versions.

Each archive is verified and read into a file (`read`), the files are joined into tidy tables
(`tables`, `trends`), and these are shown on a page (`page`).
"""
