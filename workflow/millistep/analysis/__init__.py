"""Analysis: records become frames, frames become tables, figures and pages."""
