"""Cron schedules and time zones."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.server.kinds import kind_of
from kubewright.server.kinds.batch.cron_schedule import schedule_error, time_zone_error
from tests.server.kinds.cases.batch_cronjobs import BAD, GOOD, cron_job

BOUNDS = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 6))


def field(low: int, high: int) -> st.SearchStrategy[str]:
    number = st.integers(low, high)
    interval = st.tuples(number, number).map(sorted).map(lambda ends: f"{ends[0]}-{ends[1]}")
    base = st.one_of(number.map(str), interval, st.just("*"), st.just("?"))
    stepped = st.tuples(base, st.integers(1, 99)).map(lambda parts: f"{parts[0]}/{parts[1]}")
    return st.lists(st.one_of(base, stepped), min_size=1, max_size=3).map(",".join)


@given(st.tuples(*(field(low, high) for low, high in BOUNDS)))
def test_numbers_in_their_bounds_make_a_schedule(fields: tuple[str, ...]) -> None:
    assert schedule_error(" ".join(fields)) == ""


@given(st.integers(0, 4), st.booleans())
def test_numbers_out_of_their_bounds_make_none(place: int, above: bool) -> None:
    low, high = BOUNDS[place]
    fields = ["*"] * 5
    fields[place] = str(high + 1 if above else low - 1)

    assert schedule_error(" ".join(fields))


@given(st.text(alphabet="*?/-,0159 @everyTZ=hms.\u00b5\n", max_size=30))
def test_no_text_raises(text: str) -> None:
    schedule_error(text)
    time_zone_error(text)


def test_long_texts_are_read_at_once() -> None:
    for part in ("1" * 100_000, "1," * 50_000, "1-" * 50_000, "/" * 100_000):
        schedule_error(f"{part} * * * *")
        schedule_error(f"@every {part}h")
        schedule_error(f"TZ={part} * * * * *")


@pytest.mark.parametrize("schedule", GOOD)
def test_good_ones_are_good_with_a_zone_too(schedule: str) -> None:
    assert schedule_error(f"TZ=UTC {schedule}") == ""


@pytest.mark.parametrize("schedule", [text for text in BAD if "TZ" not in text and "@daily" not in text])
def test_bad_ones_are_bad_with_a_zone_too(schedule: str) -> None:
    assert schedule_error(f"CRON_TZ=Europe/Berlin {schedule}")


def test_a_schedule_that_had_a_zone_may_keep_it() -> None:
    rules = kind_of("batch", "cronjobs")
    old, obj = cron_job(schedule="TZ=UTC 0 0 * * *"), cron_job(schedule="TZ=Europe/Berlin 0 0 * * *")
    for each in (old, obj):
        rules.default(each)

    assert rules.validate_update(obj, old) == []
    (warning,) = rules.warnings(obj, old)
    assert warning.startswith(
        "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https:"
    )

    obj["spec"]["timeZone"] = "UTC"
    (error,) = rules.validate_update(obj, old)
    assert error.message.endswith(": cannot use both timeZone field and TZ or CRON_TZ in schedule")


def test_a_time_zone_that_is_gone_may_stay() -> None:
    rules = kind_of("batch", "cronjobs")
    old, obj = cron_job(timeZone="Gone/Town"), cron_job(timeZone="Gone/Town", suspend=True)
    for each in (old, obj):
        rules.default(each)

    assert rules.validate(obj)
    assert rules.validate_update(obj, old) == []
