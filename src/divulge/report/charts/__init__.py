"""Charts: Vega-Lite dictionaries drawn as SVG, and the colours they take."""
