"""An assessment that is kept current while records arrive."""
