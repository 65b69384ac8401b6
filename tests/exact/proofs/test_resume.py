"""Open nodes of a proof in its checkpoint: what is kept, what is refused, where a proof goes on."""

import json
from dataclasses import replace

import numpy as np
import pytest

from margintree._lib.exceptions import InvalidInputError
from margintree.core.limits import Limits
from margintree.core.problem import Costs, Problem
from margintree.core.result import Reason
from margintree.exact.checkpoint import Checkpoint
from margintree.exact.proofs.engine import prove
from margintree.exact.proofs.resume import OpenSearch
from margintree.methods import MOCTSVM
from margintree.testing.instances import tiny_problem
from margintree.testing.margin_oracles import cheapest_tree

METHOD = MOCTSVM()


def overlap(n=34, depth=2):
    """Return a problem whose proof takes some thousand nodes."""
    rng = np.random.default_rng(27)
    y = np.arange(n) % 3
    X = rng.normal(0, 0.25, (n, 3)) + np.eye(3)[y] * 0.7
    return Problem.from_data(X, y, n_classes=3, depth=depth, costs=Costs(1, 1, 0.1))


PROBLEM = overlap()
WHOLE = prove(METHOD, PROBLEM, Limits())


def kept(path):
    return Checkpoint(path, PROBLEM, method="moctsvm")


def stopped(path, nodes, **options):
    """Run a proof with its checkpoint until it has looked at some more nodes."""
    limits = Limits(nodes=nodes, **options)
    return prove(METHOD, PROBLEM, limits, checkpoint=kept(path))


@pytest.fixture
def path(tmp_path):
    """Write the checkpoint of a proof that has been stopped half-way."""
    file = tmp_path / "c.json"
    assert stopped(file, WHOLE.nodes // 2).result.reason is Reason.LIMIT
    return file


def edited(path, **entries):
    content = json.loads(path.read_text())
    content["search"] |= entries
    path.write_text(json.dumps(content))


def test_a_proof_goes_on_where_it_was_stopped(tmp_path):
    """Stopped again and again, it ends with the same optimum in about as many nodes."""
    path, bound, nodes, rounds = tmp_path / "c.json", 0.0, 0, 0
    while True:
        proof = stopped(path, WHOLE.nodes // 10)
        assert bound <= proof.result.bound <= WHOLE.result.objective
        bound, nodes, rounds = proof.result.bound, nodes + proof.nodes, rounds + 1
        if proof.result.is_optimal:
            break
        assert kept(path).known.bound == bound
    assert rounds > 3
    assert proof.result.objective == pytest.approx(WHOLE.result.objective, rel=2e-4)
    assert nodes < 2 * WHOLE.nodes


def test_nodes_come_back_as_they_were(path):
    """Bounds, skeletons and places of the open nodes are those of the file; shares add up to 1."""
    search = kept(path).known.search
    left = OpenSearch.from_dict(search, PROBLEM)
    again = json.loads(json.dumps(left.to_dict(PROBLEM)))
    assert again | {"shares": []} == search | {"shares": []}
    assert len(left.nodes) > 3
    assert sum(node.share for node in left.nodes) == pytest.approx(1)
    assert min(node.bound for node in left.nodes) <= left.floor


@pytest.mark.parametrize("seed", range(40))
def test_no_bound_of_a_resumed_proof_is_above_the_optimum(tmp_path, seed):
    """Stopped after every few nodes, a proof of a tiny problem ends with the enumerated optimum."""
    problem = tiny_problem(np.random.default_rng([27, seed]))
    best = cheapest_tree(problem).cost
    for _ in range(1000):
        checkpoint = Checkpoint(tmp_path / "c.json", problem, method="moctsvm")
        result = prove(METHOD, problem, Limits(nodes=5, gap=1e-6), checkpoint=checkpoint).result
        assert result.bound <= best * (1 + 1e-6)
        if result.is_optimal:
            break
    assert result.is_optimal
    assert result.objective == pytest.approx(best, rel=3e-6)


def test_a_smaller_gap_begins_anew(path):
    """Nodes closed for a gap of 1e-4 may hold trees that matter for 1e-6; tree and bound stay."""
    before = path.read_text()
    proof = stopped(path, None, gap=1e-6)
    assert proof.result.is_optimal
    assert json.loads(before)["bound"] <= proof.result.bound <= WHOLE.result.objective
    path.write_text(json.dumps(json.loads(before) | {"search": None}))
    assert stopped(path, None, gap=1e-6).nodes == proof.nodes


def test_a_larger_gap_goes_on(path):
    """Nodes closed for a small gap are closed for a larger one."""
    proof = stopped(path, None, gap=0.01)
    assert proof.result.is_optimal
    assert 0 < proof.nodes < WHOLE.nodes / 2


def test_a_proof_with_a_certificate_begins_anew(path):
    """Decisions of an earlier run are unknown, so a history starts at the root."""
    proof = prove(METHOD, PROBLEM, Limits(), checkpoint=kept(path), has_history=True)
    assert proof.result.is_optimal
    assert proof.nodes > 0.5 * WHOLE.nodes
    assert proof.history.roots


def test_an_interrupt_before_the_first_node_loses_nothing(path):
    """A run that ends at once leaves the nodes of the file as they were."""
    before = json.loads(path.read_text())

    def interrupt(_):
        raise KeyboardInterrupt

    prove(METHOD, PROBLEM, Limits(), progress=interrupt, checkpoint=kept(path))
    after = json.loads(path.read_text())
    assert after["search"] == before["search"]
    assert after["bound"] == before["bound"]


def test_a_finished_proof_leaves_no_nodes(path):
    """After the proof the file has no open node, and the next run takes none."""
    assert stopped(path, None).result.is_optimal
    assert json.loads(path.read_text())["search"]["skeletons"] == []
    assert stopped(path, None).nodes == 0


@pytest.mark.parametrize(
    "damage",
    [
        {"places": "AAAA"},
        {"places": "no base 64"},
        {"places": 7},
        {"skeletons": [99]},
        {"shapes": [[1, [2, [4, 1]]]]},
        {"shapes": ["a"]},
        {"bounds": [1.0]},
        {"bounds": ["much"]},
        {"gap": None},
        {"floor": "low"},
    ],
)
def test_damaged_nodes_are_refused_and_left_alone(path, damage):
    """Every entry is checked; the message names the file and the file stays."""
    edited(path, **damage)
    before = path.read_bytes()
    with pytest.raises(InvalidInputError, match=r"A checkpoint must belong.*cannot be read"):
        stopped(path, 5)
    assert path.read_bytes() == before


def test_rows_outside_their_tree_are_refused(path):
    """A place that its skeleton does not have is damage, not an index out of range."""
    left = OpenSearch.from_dict(kept(path).known.search, PROBLEM)
    node = left.nodes[0]
    places = np.full(PROBLEM.n_rows, 2**PROBLEM.depth * 2 - 1)
    for wrong in (np.zeros_like(places), places + 1):
        broken = replace(left, nodes=[node._replace(places=wrong)])
        with pytest.raises(ValueError, match="at no node"):
            OpenSearch.from_dict(broken.to_dict(PROBLEM), PROBLEM)
