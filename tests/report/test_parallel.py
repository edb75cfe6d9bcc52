import os
import signal

import pytest

from millistep.analysis import parallel

HERE = os.getpid()


def squared(number):
    return number * number, os.getpid()


def killed_elsewhere(number):
    if number == 3 and os.getpid() != HERE:
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


def failing(number):
    raise ValueError(f"{number} is not usable")


def test_results_keep_the_order_and_come_from_other_processes():
    found = parallel.each(squared, range(10), at_once=2)
    assert [square for square, _ in found] == [number**2 for number in range(10)]
    assert HERE not in {process for _, process in found}


def test_few_items_need_no_process():
    assert parallel.each(squared, range(2), at_once=2) == [(0, HERE), (1, HERE)]


def test_a_function_may_be_nested():
    assert parallel.each(lambda number: number + 1, [1, 2, 3]) == [2, 3, 4]


def test_a_killed_process_costs_no_result():
    assert parallel.each(killed_elsewhere, range(6)) == [0, 1, 4, 9, 16, 25]


def test_an_error_is_that_of_the_function():
    with pytest.raises(ValueError, match="is not usable"):
        parallel.each(failing, [1, 2])
