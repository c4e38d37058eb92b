"""What is compared: releases as they were given, their names, copies, and whose records are whose."""
