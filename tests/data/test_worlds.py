"""Bandits and MDPs: each follows from its number, pays as its chances say, and moves as its transitions say."""

import torch

from jumok.data.worlds import Bandits, TabularMDPs


def test_a_world_follows_from_its_number_alone():
    together, alone = Bandits.draw([3, 4], 5, 7, seed=1), Bandits.draw([4], 5, 7, seed=1)
    for name in ("chances_BK", "pays_BTK", "choices_BT"):
        assert torch.equal(getattr(together, name)[1:], getattr(alone, name))
    mdps, one = (TabularMDPs.draw(numbers, 3, 2, 5, 4, seed=1) for numbers in ([8, 9], [9]))
    for name in ("transitions_BSAS", "means_BSA", "noise_BT", "luck_BT"):
        assert torch.equal(getattr(mdps, name)[1:], getattr(one, name))


def test_arms_pay_as_often_as_their_chance_says():
    worlds = Bandits.draw(range(40), 3, 1000, seed=2)
    found = worlds.pays_BTK.mean(1)
    # Four standard errors of 1,000 draws.
    assert ((found - worlds.chances_BK).abs() < 4 * 0.5 / 1000**0.5).all()
    assert 0.4 < worlds.chances_BK.mean() < 0.6


def test_a_pull_is_seen_with_what_it_paid():
    worlds = Bandits.draw(range(6), 4, 5, seed=3)
    actions = torch.tensor([0, 1, 2, 3, 0, 1])
    moment = worlds.after(worlds.begin(), 0, actions)
    assert torch.equal(moment.seen_BO[:, :4].argmax(1), actions)
    assert torch.equal(moment.seen_BO[:, 4], moment.reward_B)
    assert moment.seen_BO.shape[1] == worlds.observed
    torch.testing.assert_close(moment.seen_BO[:, 5], torch.full((6,), 0.8))


def test_an_mdp_moves_as_its_transitions_say_and_starts_again():
    worlds = TabularMDPs.draw(range(4000), 3, 2, 2, 2, seed=4)
    worlds.transitions_BSAS[:] = torch.tensor([0.2, 0.3, 0.5])
    first = worlds.after(worlds.begin(), 0, torch.zeros(4000, dtype=torch.long))
    shares = torch.bincount(first.place_B, minlength=3) / 4000
    torch.testing.assert_close(shares, torch.tensor([0.2, 0.3, 0.5]), atol=4 * 0.5 / 4000**0.5, rtol=0)
    assert torch.equal(first.seen_BO[:, :3].argmax(1), first.place_B)
    second = worlds.after(first, 1, torch.ones(4000, dtype=torch.long))
    assert not second.place_B.any()
    assert second.seen_BO[:, 6].all()


def test_rewards_of_an_mdp_have_their_mean():
    worlds = TabularMDPs.draw(range(5000), 3, 2, 2, 2, seed=5)
    reward = worlds.after(worlds.begin(), 0, torch.ones(5000, dtype=torch.long)).reward_B
    noise = reward - worlds.means_BSA[:, 0, 1]
    assert abs(float(noise.mean())) < 4 / 5000**0.5
    assert abs(float(noise.std()) - 1) < 0.05
