"""What a job of a block leaves for its second attempt: the run in flight, or that it refused."""

import json
from pathlib import Path

from deploy.virtual_environments import write_atomically


class Marks:
    """Hidden files beside a block's own."""

    def __init__(self, block: Path) -> None:
        self._in_flight = block.with_name(f".{block.stem}.in_flight")
        self._refused = block.with_name(f".{block.stem}.refused")

    def starts(self, record: str) -> int:
        """How often the run of a record was started and killed, with no other in between."""
        try:
            found = json.loads(self._in_flight.read_text())
            return int(found["starts"]) if found["record"] == record else 0
        except (OSError, ValueError, KeyError, TypeError):
            return 0

    def began(self, record: str) -> None:
        """The run is started now; only a kill leaves this behind."""
        left = {"record": record, "starts": self.starts(record) + 1}
        write_atomically(self._in_flight, json.dumps(left) + "\n")

    def over(self) -> None:
        """The run came to an end, whichever."""
        self._in_flight.unlink(missing_ok=True)

    @property
    def refused(self) -> bool:
        """Whether the job came to its end, and something could not be measured."""
        return self._refused.exists()

    @refused.setter
    def refused(self, is_so: bool) -> None:
        if is_so:
            self._refused.parent.mkdir(parents=True, exist_ok=True)
            self._refused.touch()
        else:
            self._refused.unlink(missing_ok=True)
