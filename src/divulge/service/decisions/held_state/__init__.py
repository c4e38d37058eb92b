"""A dataset as it stands at one entry of its log, kept between transactions."""
