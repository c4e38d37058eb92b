"""Which role each attribute has: suggested from names and values, with reasons."""

from divulge.roles.proposal import Proposed, propose, roles_to_use
from divulge.table.schema import Role

__all__ = ["Proposed", "Role", "propose", "roles_to_use"]
