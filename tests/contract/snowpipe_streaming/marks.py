"""Marks of tests that use the connector beside the SDK."""

import pytest

WITH_CONNECTOR = [
    pytest.mark.contract,
    # Connector 5 announces a new default of a parameter that connector 4 doesn't know.
    pytest.mark.filterwarnings("ignore:enable_server_session_keep_alive_auto_detection:FutureWarning"),
]
