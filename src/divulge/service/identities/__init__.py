"""Who asks: persons, what their keys are for, subjects of an issuer, and who may approve what."""
