"""`firnline`, whose Pulumi meets providers that pause: `python -m tests.pulumi.pausing_firnline up …`."""

from functools import partial
from unittest.mock import patch

from firnline_infra.cli import main
from firnline_local import accounts
from tests.pulumi.pausing_plugin import PAUSING

if __name__ == "__main__":
    with patch.object(accounts, "EmbeddedAccounts", partial(accounts.EmbeddedAccounts, provider=PAUSING)):
        main()
