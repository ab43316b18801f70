"""A certificate for loopback, made on the spot.

The streaming SDK speaks HTTPS only and trusts what SSL_CERT_FILE names. A CA and a leaf are two certificates here,
because the SDK's TLS stack (rustls) refuses a CA that presents itself as a server. No other program has to trust either.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

LIFETIME = timedelta(days=365)
CLOCK_SKEW = timedelta(hours=1)  # containers and virtual machines on a laptop disagree about the time


@dataclass(frozen=True, kw_only=True)
class Certificates:
    """PEM files: what a client has to trust, and what the server presents."""

    ca_file: Path
    cert_file: Path
    key_file: Path


def make_certificates(folder: Path, *, hosts: Iterable[str] = ()) -> Certificates:
    """Writes a new CA and a leaf for 127.0.0.1, localhost and `hosts` into `folder`; only the owner can read the key."""
    folder.mkdir(parents=True, exist_ok=True)
    files = Certificates(ca_file=folder / "ca.pem", cert_file=folder / "server.pem", key_file=folder / "server-key.pem")
    ca_key, leaf_key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    ca = _certificate_authority(ca_key)
    leaf = _leaf(leaf_key, ca, ca_key, hosts)
    files.ca_file.write_bytes(ca.public_bytes(serialization.Encoding.PEM))
    files.cert_file.write_bytes(leaf.public_bytes(serialization.Encoding.PEM))
    files.key_file.touch(mode=0o600)
    files.key_file.write_bytes(
        leaf_key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    return files


def _certificate_authority(key: ec.EllipticCurvePrivateKey) -> x509.Certificate:
    name = _name("Firnline local CA")
    return (
        _builder(name, name, key.public_key())
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_key_usage(certificate_signing=True), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )


def _leaf(
    key: ec.EllipticCurvePrivateKey, ca: x509.Certificate, ca_key: ec.EllipticCurvePrivateKey, hosts: Iterable[str]
) -> x509.Certificate:
    named = [x509.DNSName(host) for host in ("localhost", *hosts)]
    names = x509.SubjectAlternativeName([x509.IPAddress(IPv4Address("127.0.0.1")), *named])
    return (
        _builder(_name("localhost"), ca.subject, key.public_key())
        .add_extension(names, critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_key_usage(certificate_signing=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(ca_key.public_key()), critical=False)
        .sign(ca_key, hashes.SHA256())
    )


def _builder(subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - CLOCK_SKEW)
        .not_valid_after(now + LIFETIME)
    )


def _name(common_name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])


def _key_usage(*, certificate_signing: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not certificate_signing,
        key_cert_sign=certificate_signing,
        crl_sign=certificate_signing,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )
