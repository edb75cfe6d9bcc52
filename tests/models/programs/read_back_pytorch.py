"""See read_back.py."""

from program import command
from read_back import COMMANDS

COMMANDS[command]()
