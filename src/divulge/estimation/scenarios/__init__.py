"""Ready scenarios: systems people use, as channels from what an attacker is after to what they observe."""
