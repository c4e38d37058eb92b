"""What attackers work out from everything that is published."""
