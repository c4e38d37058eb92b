"""Tables on a Spark cluster, counted there."""
