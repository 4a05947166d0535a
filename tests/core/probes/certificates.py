"""Certificates of an authority that is made for a test."""

import ipaddress
from datetime import UTC, datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


class Authority:
    """Writes files into a folder; `file` is its own certificate."""

    def __init__(self, folder):
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _name("Test Authority")
        own = self._builder(self._name, self._key, days=30).add_extension(
            x509.BasicConstraints(ca=True, path_length=0), critical=True
        )
        usage = x509.KeyUsage(
            digital_signature=True,
            key_cert_sign=True,
            crl_sign=True,
            content_commitment=False,
            key_encipherment=False,
            data_encipherment=False,
            key_agreement=False,
            encipher_only=False,
            decipher_only=False,
        )
        self.file = self._written("authority.pem", own.add_extension(usage, critical=True))

    def issued(self, name, *, days=30, address="127.0.0.1", passphrase=None):
        """The files of a certificate and its key; of `days` below none, one that has expired."""
        key = ec.generate_private_key(ec.SECP256R1())
        names = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(address))])
        builder = self._builder(_name(name), key, days=days).add_extension(names, critical=False)
        path = self._folder / f"{name}.key"
        hiding = serialization.BestAvailableEncryption(passphrase) if passphrase else serialization.NoEncryption()
        form = serialization.PrivateFormat.PKCS8
        path.write_bytes(key.private_bytes(serialization.Encoding.PEM, form, hiding))
        return self._written(f"{name}.pem", builder), str(path)

    def _builder(self, subject, key, *, days):
        now = datetime.now(UTC)
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=60))
            .not_valid_after(now + timedelta(days=days))
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key()), critical=False)
        )

    def _written(self, name, builder):
        path = self._folder / name
        path.write_bytes(builder.sign(self._key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))
        return str(path)


def _name(text):
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])
