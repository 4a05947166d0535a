"""Whatever happens, a question is answered once, with each part of the answer once and in its place."""

import re
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from tests.surfaces.bench import Dead, Fuse, fused, job
from tests.surfaces.contract import joined

PARAGRAPH = "An export is refused with a message when it has no date, and this is said to whoever asked for it. "
REMARK = PARAGRAPH * 38


def test_eight_deliveries_to_two_programs_at_once(surface, bench):
    asked = surface.ask(surface.open(REMARK))
    programs = bench.program(), bench.program()
    told = [(surface.push, program, one) for program in programs for one in surface.told[asked.id]]
    polled = [(surface.poll, program) for program in programs]
    every = ([*told, *polled] * 2)[:8]
    with ThreadPoolExecutor(4) as pool:
        waiting = [pool.submit(act, *arguments) for act, *arguments in every]
        assert {one.result() for one in waiting} <= {200, None}
        for working in [pool.submit(bench.work_beside, program) for program in programs]:
            working.result()
    assert job(programs[0], asked).job.state == "done"
    assert len(surface.replies(asked.place)) == 1


def test_a_delivery_of_long_ago_comes_again(surface, bench):
    asked = surface.ask(surface.open(REMARK))
    program = bench.program()
    bench.answered(program, asked)
    bench.clock.forward(days=3)
    later = bench.program()
    for delivery in surface.told[asked.id]:
        assert surface.push(later, delivery) in {200, 400}  # a signed time of days ago is refused
    bench.work(later)
    assert job(later, asked).job.attempts == 1
    assert len(surface.replies(asked.place)) == 1


def test_deliveries_in_the_wrong_order(surface, bench):
    """The edit before the question, and the deletion before it."""
    program = bench.program()
    asked, deleted = surface.ask(surface.open(REMARK)), surface.ask(surface.open(REMARK))
    surface.rewrite(asked, surface.spelled(asked.place, "ask", "What, please, is written here?"))
    surface.delete(deleted)
    later = surface.sent()
    for delivery in [*reversed(later), *surface.told[asked.id], *surface.told[deleted.id]]:
        assert surface.push(program, delivery) == 200
    bench.work(program)
    assert len(surface.replies(asked.place)) == 1
    assert surface.replies(deleted.place) == []


def test_killed_at_every_instant(surface, new_bench):
    """Another process goes on when the lease is over."""
    instants = run(surface, new_bench(), None)
    assert instants.count("commit") >= 9, "accepted, claimed and finished; each of two parts claimed, kept and sent"
    assert len(instants) > instants.count("commit") + 3, "and both parts written"
    for number in range(1, len(instants) + 1):
        run(surface, new_bench(), number)


def run(surface, bench, blows_at):
    remarks = [f"Remark {number:02}: {REMARK}" for number in range(1 + int(1.2 * surface.limit / len(REMARK)))]
    asked = surface.ask(surface.open(*remarks))
    victim = bench.program()
    with fused(surface, victim, blows_at) as fuse:
        bench.hear(victim, asked)
        bench.work(victim)
    assert fuse.blown is (blows_at is not None)
    victim.close()
    bench.clock.forward(minutes=10)
    heir = bench.program()
    bench.hear(heir, asked)
    bench.work(heir)
    view, replies = job(heir, asked), surface.replies(asked.place)
    at = f"killed at {fuse.passed[-1]}, instant {blows_at} of its life"
    assert [post.state for post in view.posts] == ["sent"] * len(view.posts), at
    assert [one.id for one in replies] == [post.remote_id for post in view.posts], at
    assert len(replies) > 1
    assert re.findall(r"Remark (\d\d):", joined(replies)) == [one[7:9] for one in remarks], at
    assert max(view.job.attempts, *(post.attempts for post in view.posts)) <= 2
    return fuse.passed


def test_killed_at_every_instant_with_a_file(surface, new_bench):
    """Where test cases come with a file."""
    instants, due = drafted(surface, new_bench(), None)
    if not due[1]:
        return
    for number in range(1, len(instants) + 1):
        _, found = drafted(surface, new_bench(), number)
        assert found == due, f"killed at {instants[number - 1]}, instant {number} of its life"


def drafted(surface, bench, blows_at):
    """The instants, and how many replies and files there are."""
    asked = surface.ask(surface.open(), "test cases")
    victim = bench.program()
    with fused(surface, victim, blows_at) as fuse:
        bench.hear(victim, asked)
        bench.work(victim)
    victim.close()
    bench.clock.forward(minutes=10)
    heir = bench.program()
    bench.hear(heir, asked)
    bench.work(heir)
    assert {post.state for post in job(heir, asked).posts} == {"sent"}
    return fuse.passed, (len(surface.replies(asked.place)), len(surface.files(asked.place)))


@pytest.mark.parametrize("moment", ["arrived", "done"])
def test_stopped_beyond_its_lease_and_woken_again(surface, bench, moment):
    """It was stopped while its answer was on the way; another one posts meanwhile; then it goes on."""
    asked = surface.ask(surface.open(REMARK))
    slow, reached, go_on = bench.program(), Event(), Event()

    def hold(_exchange):
        if not reached.is_set():
            reached.set()
            go_on.wait(20)

    bench.hear(slow, asked)
    assert slow.worker.run_once()
    for method, path in surface.writes:
        surface.box.faults.on(method, path, hold, stage=moment)
    with ThreadPoolExecutor(1) as pool:
        posting = pool.submit(slow.worker.run_once)
        assert reached.wait(10)
        bench.clock.forward(minutes=10)
        heir = bench.program()
        bench.work(heir)
        go_on.set()
        posting.result(30)
    bench.work(heir)
    (reply,) = surface.replies(asked.place)
    assert [post.remote_id for post in job(heir, asked).posts] == [reply.id]


def test_two_of_its_answers_arrive(surface, bench):
    """The first was on its way when its sender died; of the second the connection is lost. One is taken back."""
    asked = surface.ask(surface.open(REMARK))
    victim, reached, go_on = bench.program(), Event(), Event()
    bench.hear(victim, asked)
    assert victim.worker.run_once()

    def hold(_exchange):
        if not reached.is_set():
            reached.set()
            go_on.wait(20)

    fuse = Fuse(surface)
    fuse.into(victim)
    method, path = surface.writes[0]
    surface.box.faults.on(method, path, hold)
    with ThreadPoolExecutor(1) as pool:
        posting = pool.submit(victim.worker.run_once)
        assert reached.wait(10)
        fuse.blown = True
        bench.clock.forward(minutes=10)
        heir = bench.program()
        surface.box.faults.add(method, path, "drop_after")
        assert heir.worker.run_once()
        go_on.set()
        with pytest.raises(Dead):
            posting.result(30)
    bench.work(heir)
    (reply,) = surface.replies(asked.place)
    assert [(post.state, post.remote_id) for post in job(heir, asked).posts] == [("sent", reply.id)]


@pytest.mark.parametrize("moment", ["before", "after"])
def test_the_connection_drops_at_a_write(surface, bench, moment):
    asked = surface.ask(surface.open(REMARK))
    surface.fail(stage=moment)
    view = bench.answered(bench.program(), asked)
    (reply,) = surface.replies(asked.place)
    assert [(post.state, post.remote_id) for post in view.posts] == [("sent", reply.id)]
