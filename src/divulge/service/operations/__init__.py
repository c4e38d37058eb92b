"""What an operator does: verify, replay, export, back up, reconcile."""
