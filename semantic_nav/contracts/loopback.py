"""Hosts that only this machine reaches."""

import ipaddress


def is_loopback(host: str) -> bool:
    """Tell whether a host, a name or an address without brackets, is this machine alone."""
    if host == 'localhost':
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
