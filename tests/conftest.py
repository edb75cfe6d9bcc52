"""What tests of several folders use."""

import pytest

from tests.workshop import Workshop, make_workshop


@pytest.fixture
def workshop(tmp_path) -> Workshop:
    return make_workshop(tmp_path)
