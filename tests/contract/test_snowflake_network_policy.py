"""A network policy that leaves out 127.0.0.1 keeps its user out, whatever the client: the connector, and the streaming API."""

from contextlib import closing

import pytest

from firnline_local.endpoints import Login, sql_session
from firnline_local.keys import make_key_pair

pytestmark = pytest.mark.contract


@pytest.fixture
def login(local_environment, tmp_path):
    """A user of its own, with a key, and a policy that lets it in."""
    pair = make_key_pair(tmp_path, "guest")
    body = "".join(pair.public_key.split("\n")[1:-2])
    with closing(local_environment.connect("admin")) as admin, closing(admin.cursor()) as cursor:
        cursor.execute("CREATE NETWORK POLICY GUESTS ALLOWED_IP_LIST = ('127.0.0.0/8')")
        cursor.execute(f"CREATE USER GUEST TYPE = SERVICE RSA_PUBLIC_KEY = '{body}' NETWORK_POLICY = GUESTS")
        yield Login(user="GUEST", role="PUBLIC", private_key_file=pair.private_key_file)
        cursor.execute("DROP USER GUEST")
        cursor.execute("DROP NETWORK POLICY GUESTS")


def test_a_login_is_refused_while_the_policy_leaves_loopback_out(local_environment, login) -> None:
    def log_in() -> None:
        sql_session(local_environment.endpoints, login).close()

    def allow(network: str) -> None:
        with closing(local_environment.connect("admin")) as admin, closing(admin.cursor()) as cursor:
            cursor.execute(f"ALTER NETWORK POLICY GUESTS SET ALLOWED_IP_LIST = ('{network}')")

    log_in()
    allow("10.0.0.0/8")
    with pytest.raises(Exception, match=r"127\.0\.0\.1 is not allowed to access Snowflake"):
        log_in()
    allow("127.0.0.1")
    log_in()
