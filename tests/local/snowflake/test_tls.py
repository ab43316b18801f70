"""Certificates for loopback."""

import ssl
import stat
from pathlib import Path

from cryptography import x509
from cryptography.x509.oid import ExtensionOID

from firnline_local.snowflake.tls import make_certificates


def certificate(file: Path) -> x509.Certificate:
    return x509.load_pem_x509_certificate(file.read_bytes())


def test_the_leaf_is_no_ca_and_names_loopback(tmp_path: Path) -> None:
    leaf = certificate(make_certificates(tmp_path).cert_file)

    assert leaf.extensions.get_extension_for_class(x509.BasicConstraints).value.ca is False
    names = leaf.extensions.get_extension_for_oid(ExtensionOID.SUBJECT_ALTERNATIVE_NAME).value
    assert {str(name.value) for name in names} == {"127.0.0.1", "localhost"}


def test_the_ca_signed_the_leaf_and_nothing_above_it_is_needed(tmp_path: Path) -> None:
    files = make_certificates(tmp_path / "new folder")

    certificate(files.cert_file).verify_directly_issued_by(certificate(files.ca_file))
    ssl.create_default_context(cafile=files.ca_file)
    ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(files.cert_file, files.key_file)


def test_only_the_owner_reads_the_key_and_each_call_makes_a_new_one(tmp_path: Path) -> None:
    first = make_certificates(tmp_path).key_file.read_bytes()
    key_file = make_certificates(tmp_path).key_file

    assert stat.S_IMODE(key_file.stat().st_mode) == 0o600
    assert key_file.read_bytes() != first
