"""What a table is: values as codes, roles, partitions, hierarchies."""

from divulge._support.rooms import says

says(__name__, "dv.tabulate makes a table of counts, and dv.read opens a table of records.")
