"""The service over HTTP: routes, access, limits, answers and the page."""
