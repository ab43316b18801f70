"""From the root of the repository: python -m docs.tools.permissions > docs/permissions.md"""

from docs.tools.permissions.page import page

print(page(), end="")
