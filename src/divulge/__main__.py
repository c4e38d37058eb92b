"""`python -m divulge` is the command `divulge`."""

from divulge.cli import main

if __name__ == "__main__":
    main()
