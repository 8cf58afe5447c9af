"""Learning to explore: indices as published, players in the same worlds, exact resume, and an agent that learns."""

from itertools import islice

import numpy as np
import pytest
import torch

import jumok
from jumok.arguments import LARGEST_SEED
from jumok.config import resolve
from jumok.data.bucketing import Position
from jumok.data.worlds import Bandits, TabularMDPs
from jumok.errors import ConfigError, InputError
from jumok.models.agents import chosen, parameters_of
from jumok.tasks import find_task
from jumok.tasks.bandits import baselines
from jumok.tasks.bandits.build import build_agent, draw_worlds
from jumok.tasks.bandits.gittins import discounted_index, finite_indices
from jumok.tasks.bandits.learning import PolicyLoss, WorldBatch, advantages, clipped
from jumok.tasks.bandits.model import TEST_SEED, TUNING_SEED, played_seed
from jumok.tasks.bandits.playing import play
from jumok.tasks.bandits.task import DEV_SEED, Stream
from jumok.tasks.task import Place
from jumok.training.distributed import Processes
from jumok.training.interrupt import Interrupts

TINY = {
    "task": "bandits",
    "data.trials": 6,
    "data.arms": 3,
    "data.batch": 16,
    "model.size": 5,
    "model.filters": 4,
    "model.keys": [6],
    "reward.passes": 2,
    "train.max_steps": 4,
    "train.validate_every": 2,
    "train.save_every": 2,
    "train.log_every": 1,
    "train.validate_size": 20,
    "train.schedule": "constant",
    "reward.entropy": 0.0,
    "runtime.threads": 1,
}
CPU = torch.device("cpu")


# Gittins, Glazebrook, Weber (2011), tables of the Bernoulli reward process.
@pytest.mark.parametrize(
    ("a", "b", "discount", "published"),
    [
        (1, 1, 0.5, 0.5590),
        (1, 1, 0.9, 0.7029),
        (2, 1, 0.9, 0.8001),
        (1, 2, 0.9, 0.5001),
        (2, 2, 0.9, 0.6346),
        (3, 3, 0.9, 0.6010),
        (1, 1, 0.95, 0.7614),
    ],
)
def test_discounted_indices_are_the_published_ones(a, b, discount, published):
    assert discounted_index(a, b, discount, grid=2001, depth=300) == pytest.approx(published, abs=6e-5)


def test_the_index_of_one_pull_is_the_mean_and_more_pulls_are_worth_more():
    tables = finite_indices(8)
    for wins, losses in ((0, 0), (2, 1), (0, 5)):
        assert tables[1][wins, losses] == pytest.approx((1 + wins) / (2 + wins + losses), abs=1e-6)
    assert (np.diff([table[0, 0] for table in tables[1:9]]) > 0).all()
    # Two pulls, by hand: λ with 2λ = 1/2 + 1/2 · 2/3 + 1/2 · λ.
    assert tables[2][0, 0] == pytest.approx(5 / 9, abs=1e-6)


def test_one_arm_against_a_certain_one_is_played_best_by_its_index():
    """Brute force over all policies: an arm Beta(1, 1) and a certain payer λ, three pulls."""

    def worth(a: int, b: int, left: int, offer: float) -> float:
        if left == 0:
            return 0.0
        p = a / (a + b)
        pull = p * (1 + worth(a + 1, b, left - 1, offer)) + (1 - p) * worth(a, b + 1, left - 1, offer)
        return max(left * offer, pull)

    index = float(finite_indices(3)[3][0, 0])
    assert worth(1, 1, 3, index - 0.01) > 3 * (index - 0.01)
    assert worth(1, 1, 3, index + 0.01) == pytest.approx(3 * (index + 0.01))


def test_players_of_bandits_stand_in_the_known_order():
    """UCB1 below Thompson sampling below the Gittins index, 78.3 for n = 100, k = 5 (Duan et al. 2016)."""
    worlds = [Bandits.draw(part, 5, 100, seed=6) for part in (range(1000), range(1000, 3000))]
    found = baselines.baselines(worlds, lambda: [Bandits.draw(range(500), 5, 100, seed=7)], seed=8)
    random, ucb1, tuned, thompson, gittins = (float(won.mean()) for won in found.values())
    error = float(found["Gittins index"].std()) / 3000**0.5
    assert abs(gittins - 78.3) < 4 * error
    assert abs(random - 50) < 4 * error
    assert random < ucb1 < thompson < gittins
    assert tuned > thompson


def test_every_arm_is_tried_once_by_ucb1():
    worlds = Bandits.draw(range(20), 4, 4, seed=1)
    record, moment = baselines.Record.of(worlds), worlds.begin()
    for t in range(4):
        actions = baselines.ucb1(record, t, 4).argmax(-1)
        moment = worlds.after(moment, t, actions)
        record.add(actions, moment.reward_B)
    assert (record.pulls_BK == 1).all()
    assert torch.equal(record.wins_BK.sum(1), worlds.pays_BTK.diagonal(dim1=1, dim2=2).sum(1))


def test_posterior_sampling_lies_between_chance_and_knowledge():
    worlds = [TabularMDPs.draw(range(200), 4, 3, 5, 20, seed=2)]
    random, sampling, knowing = (float(won.mean()) for won in baselines.baselines(worlds, lambda: worlds, 1).values())
    assert random + 10 < sampling < knowing


@pytest.mark.parametrize("world", ["bandit", "mdp"])
def test_worlds_in_parts_are_won_as_all_at_once(world):
    """By players that draw nothing themselves."""
    config = resolve(TINY | {"data.world": world, "data.trials": 4})
    whole = draw_worlds(config, range(7, 37), 3)
    parts = [draw_worlds(config, part, 3) for part in (range(7, 8), range(8, 37))]
    together, apart = (baselines.baselines(given, lambda: [whole], 1) for given in ([whole], parts))
    assert list(together) == list(apart)
    same = [name for name in together if name.startswith(("UCB1", "tuned", "Gittins", "knows"))]
    assert same
    for name in same:
        assert torch.equal(together[name], apart[name])


def test_worlds_to_play_in_are_met_in_no_training():
    """Their seeds lie beyond those that a run can have, and tests, tuning and validation share none."""
    seeds = [*map(played_seed, range(2000)), DEV_SEED, TUNING_SEED]
    assert min(seeds) > LARGEST_SEED
    assert len(set(seeds)) == len(seeds)


def test_the_best_policy_of_a_known_mdp_is_that_of_every_policy_tried():
    worlds = TabularMDPs.draw([5], 2, 2, 3, 1, seed=3)
    means, moves = worlds.means_BSA[0], worlds.transitions_BSAS[0]

    def worth(state: int, left: int) -> tuple[float, int]:
        if left == 0:
            return 0.0, 0
        each = [
            float(means[state, a]) + sum(float(moves[state, a, z]) * worth(z, left - 1)[0] for z in range(2))
            for a in range(2)
        ]
        return max(each), int(np.argmax(each))

    found = baselines.sweep(worlds.means_BSA, worlds.transitions_BSAS, 3)
    assert [[worth(state, 3 - t)[1] for state in range(2)] for t in range(3)] == found[:, 0].tolist()


def test_advantages_are_the_discounted_sum_of_surprises():
    rewards, values = torch.randn(3, 7).double(), torch.randn(3, 7).double()
    next_values = torch.cat([values[:, 1:], torch.zeros(3, 1)], 1)
    delta = rewards + 0.9 * next_values - values
    expected = torch.stack([sum((0.9 * 0.7) ** (s - t) * delta[:, s] for s in range(t, 7)) for t in range(7)], 1)
    torch.testing.assert_close(advantages(rewards, values, 0.9, 0.7), expected)
    # With λ = 1 and γ = 1 it is what is still won, less what was expected.
    torch.testing.assert_close(advantages(rewards, values, 1, 1), rewards.flip(1).cumsum(1).flip(1) - values)


def test_the_clipped_loss_gains_nothing_beyond_its_width():
    ratio = torch.tensor([0.5, 1.0, 1.5, 1.5, 0.5], requires_grad=True)
    advantage = torch.tensor([1.0, 1.0, 1.0, -1.0, -1.0])
    clipped(ratio, advantage, 0.2).sum().backward()
    assert ratio.grad is not None
    assert ratio.grad.tolist() == [-1, -1, 0, 1, 0]


def test_parts_of_a_pass_learn_from_every_world_once():
    config = resolve(TINY | {"reward.parts": 3, "data.first": 2})
    stream = Stream(config, Place(Processes(), CPU, Interrupts(), {}))
    batches = [batch for _, batch in islice(stream(Position(0, 0)), 12)]
    assert [batch.turn for batch in batches] == [*range(6)] * 2
    for start in (0, 3, 6, 9):
        learned = [number for batch in batches[start : start + 3] for number in batch.numbers]
        assert sorted(learned) == [*range(16 * (start // 6), 16 * (start // 6 + 1))]
    # It takes up at the second step what it would have given, with worlds as long as that step's.
    again = next(stream(Position(0, 6)))[1]
    assert again.numbers == batches[6].numbers
    assert [batch.worlds.steps for batch in batches] == [2] * 6 + [3] * 6
    assert again.worlds.steps == 3


def test_short_worlds_are_the_end_of_long_ones():
    data = resolve({"task": "bandits", "data.trials": 100, "data.first": 10, "data.grown": 0.5}).data
    assert [data.trials_at(share) for share in (0, 0.25, 0.5, 1)] == [10, 32, 100, 100]
    assert resolve({"task": "bandits"}).data.trials_at(0) == 10
    worlds = draw_worlds(resolve(TINY), range(2), 1, trials=2)
    assert [float(worlds.left(t)[0]) for t in range(3)] == pytest.approx([2 / 6, 1 / 6, 0])


def test_hindsight_gives_the_gradient_of_what_is_won():
    """One pull of the same arms everywhere: the gradient of Σ_a π(a) p_a, whatever was pulled."""
    config = resolve(TINY | {"data.trials": 1, "reward.hindsight": True})
    torch.manual_seed(3)
    agent = build_agent(config)
    torch.nn.init.normal_(agent.policy.weight)
    drawn = draw_worlds(config, range(16), 1)
    worlds = Bandits(torch.tensor([0.1, 0.7, 0.4]).expand(16, 3), torch.rand(16, 1, 3), drawn.choices_BT)
    assert len(play(agent, worlds, CPU).actions_BT.unique()) > 1
    loss = PolicyLoss(config.reward, 1, 10)
    batch = WorldBatch(list(range(16)), worlds, 0, slice(None), 0, CPU)
    found = torch.autograd.grad(loss(agent, batch, 1, torch.Generator(), {}).total, agent.policy.weight)[0]
    chances = agent(worlds.begin().seen_BO.unsqueeze(1)).logits_BTA[:, 0].softmax(-1)
    exact = torch.autograd.grad(-(chances * worlds.chances()).sum(), agent.policy.weight)[0]
    # The loss is scaled by the spread of the advantages.
    torch.testing.assert_close(found / found.norm(), exact / exact.norm(), atol=1e-5, rtol=1e-4)


def test_what_only_bandits_know_is_refused_for_mdps():
    for keys, words in (
        ({"data.world": "mdp", "reward.hindsight": True}, "hindsight"),
        ({"reward.parts": 17}, "parts"),
        ({"data.first": 7}, "first"),
    ):
        with pytest.raises(ConfigError, match=words):
            find_task("bandits").check_recipe(resolve(TINY | keys))


def test_actions_are_drawn_with_their_chances():
    luck = torch.linspace(0, 0.9999, 1000)
    found = chosen(torch.tensor([0.2, 0.0, 0.5, 0.3]).expand(1000, 4), luck)
    shares = torch.bincount(found, minlength=4) / 1000
    torch.testing.assert_close(shares, torch.tensor([0.2, 0.0, 0.5, 0.3]), atol=2e-3, rtol=0)


@pytest.mark.parametrize("kind", ["snail", "lstm"])
@pytest.mark.parametrize("world", ["bandit", "mdp"])
def test_playing_step_by_step_is_the_whole_pass(kind, world):
    config = resolve(TINY | {"model.kind": kind, "data.world": world, "data.states": 3, "data.horizon": 2})
    torch.manual_seed(1)
    agent = build_agent(config).double()
    for part in (agent.policy, agent.value):
        torch.nn.init.normal_(part.weight)
    worlds = draw_worlds(config, range(5), 1)
    moment, state, steps, seen = worlds.begin(), agent.begin(5), [], []
    for t in range(worlds.steps):
        seen.append(moment.seen_BO.double())
        judged, state = agent.step(seen[-1], state)
        steps.append(judged)
        moment = worlds.after(moment, t, torch.randint(3, (5,)))
    whole = agent(torch.stack(seen, 1))
    torch.testing.assert_close(torch.cat([one.logits_BTA for one in steps], 1), whole.logits_BTA)
    torch.testing.assert_close(torch.cat([one.values_BT for one in steps], 1), whole.values_BT)


def test_the_lstm_has_as_many_parameters():
    for trials in (10, 100):
        sizes = [
            parameters_of(build_agent(resolve({"task": "bandits", "data.trials": trials, "model.kind": kind})))
            for kind in ("snail", "lstm")
        ]
        assert 0.98 < sizes[1] / sizes[0] <= 1


@pytest.mark.parametrize("keys", [{}, {"train.accumulate": 2}, {"reward.parts": 3, "reward.hindsight": True}])
def test_resuming_gives_the_uninterrupted_run_to_the_bit(tmp_path, keys):
    keys = TINY | keys
    part, whole = tmp_path / "part", tmp_path / "whole"
    jumok.train(keys, out=whole, progress=False)
    jumok.train(keys | {"train.max_steps": 2}, out=part, progress=False)
    jumok.train({"train.max_steps": 4}, resume=part, progress=False)
    for name in ("metrics.jsonl", "checkpoints/4/model.safetensors"):
        assert (part / name).read_bytes() == (whole / name).read_bytes()


@pytest.fixture(scope="module")
def learned(tmp_path_factory):
    """Two arms, eight pulls: little to learn."""
    folder = tmp_path_factory.mktemp("bandits") / "run"
    keys = {"data.arms": 2, "data.trials": 8, "data.batch": 64, "train.max_steps": 60, "train.validate_every": 60}
    jumok.train({"task": "bandits", "runtime.threads": 1, **keys}, out=folder, progress=False)
    return folder


def test_an_agent_learns_to_stay_with_the_arm_that_pays(learned):
    scores = {score.player: score for score in jumok.load(learned).compare(2000)}
    assert scores["jumok (snail)"].ratio > 0.95
    assert scores["random"].ratio < 0.9
    assert scores["Gittins index"].ratio == 1


def test_keys_that_would_be_ignored_are_refused(tmp_path):
    for key, value in (("train.teacher_forcing", "never"), ("runtime.loader", "process")):
        with pytest.raises(ConfigError, match="is for"):
            jumok.train({**TINY, key: value}, out=tmp_path / "run", progress=False)


def test_an_episode_shows_where_each_block_looked(learned):
    played = jumok.load(learned).play(3)
    assert played.rewards_BT.shape == (3, 8)
    assert [block[0].shape for block in played.weights] == [(3, 1, t + 1) for t in range(8)]
    again = play(jumok.load(learned).agent, Bandits.draw(range(3), 2, 8, played_seed(TEST_SEED)), CPU)
    assert torch.equal(again.actions_BT, played.actions_BT)
    with pytest.raises(InputError, match="episodes"):
        jumok.load(learned).play(0)
