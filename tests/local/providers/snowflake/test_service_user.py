"""Service users."""

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from firnline_local.errors import ColumnNull, InputNotCarried
from firnline_local.providers.snowflake.principals import SERVICE_USER


def public_key() -> str:
    """The base64 body of a PEM key, in one line."""
    key = rsa.generate_private_key(65537, 2048).public_key()
    return "".join(key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode().split("\n")[1:-2])


def test_a_user_lives_and_repairs(live, clients) -> None:
    first, second, third = public_key(), public_key(), public_key()
    inputs = {
        "name": "M_USER",
        "comment": "c",
        "defaultRole": "PUBLIC",
        "defaultWarehouse": "COMPUTE_WH",
        "defaultNamespace": "PROVIDED_DB.S",
        "rsaPublicKey": first,
        "rsaPublicKey2": second,
        "queryTag": "t",
        "disabled": "false",
        "defaultSecondaryRolesOption": "NONE",
    }
    with live(SERVICE_USER, inputs) as user:
        assert user.made.id == "M_USER"
        user.drifts("ALTER USER M_USER SET COMMENT = 'x'", comment="x")
        user.drifts("ALTER USER M_USER SET DISABLED = TRUE", disabled="true")
        user.drifts("ALTER USER M_USER UNSET DEFAULT_ROLE", defaultRole=None)
        user.drifts("ALTER USER M_USER SET DEFAULT_WAREHOUSE = W2", defaultWarehouse="W2")
        user.drifts("ALTER USER M_USER UNSET DEFAULT_NAMESPACE", defaultNamespace=None)
        user.drifts("ALTER USER M_USER UNSET RSA_PUBLIC_KEY_2", rsaPublicKey2=None)
        user.drifts(f"ALTER USER M_USER SET RSA_PUBLIC_KEY = '{third}'", rsaPublicKey=third)
        user.drifts("ALTER USER M_USER SET QUERY_TAG = 'u'", queryTag="u")
        user.drifts("ALTER USER M_USER SET LOGIN_NAME = 'other'", loginName="OTHER")
        user.drifts("ALTER USER M_USER SET EMAIL = 'a@b.c'", email="a@b.c")
        user.drifts("ALTER USER M_USER SET DEFAULT_SECONDARY_ROLES = ('ALL')", defaultSecondaryRolesOption="ALL")
        changed = user.changes_to(name="m2", rsaPublicKey=None, rsaPublicKey2=third, loginName="lower", daysToExpiry=10)
        assert (changed["rsaPublicKey2"], changed["loginName"], changed["daysToExpiry"]) == (third, "lower", 10)
        assert "rsaPublicKey" not in changed


def test_a_disabled_user_goes_unnoticed_where_the_input_is_left_out(live, clients) -> None:
    with live(SERVICE_USER, {"name": "M_USER"}) as user:
        clients.execute("ALTER USER M_USER SET DISABLED = TRUE")
        assert user.read() == dict(user.made.properties)


def test_a_user_of_another_type_reads_as_gone(live, clients) -> None:
    with live(SERVICE_USER, {"name": "M_USER"}) as user:
        clients.execute("ALTER USER M_USER SET TYPE = PERSON")
        assert SERVICE_USER.read(user.made.id, user.made.properties, clients) is None


def test_what_is_not_carried_is_refused_before_anything_is_made(clients) -> None:
    with pytest.raises(InputNotCarried, match=r"timezone"):
        SERVICE_USER.create({"name": "M_USER", "timezone": "UTC"}, clients)
    assert SERVICE_USER.read("M_USER", {}, clients) is None


def test_a_row_that_is_hidden_from_the_role_can_not_be_read() -> None:
    hidden = {"name": "M_USER", "created_on": None, "type": None}
    with pytest.raises(ColumnNull, match="created_on"):
        SERVICE_USER.is_of_type(hidden)
