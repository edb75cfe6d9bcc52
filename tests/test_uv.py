"""uv installs from where this machine's pip would: it gets pip's configuration."""

import os
import sys

import pytest

from deploy.uv import variables

FILE = """\
[global]
index-url = https://mirror.example/simple
extra-index-url =
    https://a.example/simple
    https://b.example/simple
find-links = /wheels /more
trusted-host = a.example b.example
cert = /etc/own.pem
timeout = 7
[install]
proxy = http://proxy.example:3128
"""


@pytest.fixture
def told(tmp_path, monkeypatch):
    """``told(text, **environ)``: uv's variables that follow from a configuration file of pip."""
    for name in list(os.environ):
        if name.startswith(("PIP_", "UV_", "SSL_CERT", "HTTP")):
            monkeypatch.delenv(name)

    def variables_of(text="", **environ):
        (tmp_path / "pip.conf").write_text(text)
        for name, value in {"PIP_CONFIG_FILE": str(tmp_path / "pip.conf"), **environ}.items():
            monkeypatch.setenv(name, value)
        return variables(sys.executable, tmp_path / "uv")

    return variables_of


ALWAYS = {"UV_HTTP_RETRIES": "1", "UV_INDEX_STRATEGY": "unsafe-best-match"}


def test_all_that_pip_is_configured_with_is_handed_over(told, tmp_path):
    assert told(FILE) == {
        **ALWAYS,
        "UV_CACHE_DIR": str(tmp_path / "uv"),
        "UV_DEFAULT_INDEX": "https://mirror.example/simple",
        "UV_INDEX": "https://a.example/simple https://b.example/simple",
        "UV_FIND_LINKS": "/wheels,/more",
        "UV_INSECURE_HOST": "a.example b.example",
        "SSL_CERT_FILE": "/etc/own.pem",
        "UV_HTTP_TIMEOUT": "7",
        "HTTP_PROXY": "http://proxy.example:3128",
        "HTTPS_PROXY": "http://proxy.example:3128",
    }


def test_pips_variables_count_for_more_and_the_users_own_for_uv_most(told, tmp_path):
    found = told(FILE, PIP_INDEX_URL="https://own.example/simple", PIP_FIND_LINKS="", UV_INDEX="x")
    assert found["UV_DEFAULT_INDEX"] == "https://own.example/simple"
    assert found["UV_FIND_LINKS"] == "/wheels,/more"  # pip ignores an empty one
    assert "UV_INDEX" not in found


def test_without_an_index_nothing_is_asked_of_a_network(told, tmp_path):
    found = told(FILE, PIP_NO_INDEX="1")
    assert found["UV_OFFLINE"] == "1" and found["UV_FIND_LINKS"] == "/wheels,/more"
    assert not {"UV_DEFAULT_INDEX", "UV_INDEX"} & set(found)
