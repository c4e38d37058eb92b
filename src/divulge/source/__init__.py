"""Where records come from: files, frames and tables, opened and handed over as codes."""
