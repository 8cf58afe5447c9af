"""The routes of what lessons compute with their models."""

from fastapi import APIRouter

from jumok.studio.chances import chances
from jumok.studio.forcing import force, schedule
from jumok.studio.gradients import follow_paths
from jumok.studio.kernel import regress
from jumok.studio.looks import looks
from jumok.studio.payload_lessons import ChancesAnswer, ChancesRequest
from jumok.studio.questions import Questions
from jumok.studio.studio import Studio


def add_lessons(router: APIRouter, studio: Studio) -> None:
    """What lessons compute with their models."""
    questions = Questions(router, studio)

    def of_runs(request: ChancesRequest) -> ChancesAnswer:
        return chances([questions.opened(run, None) for run in request.runs], request)

    questions.add("/chances", of_runs, "The mean probability of the right words over many sentences.")
    questions.of_run("/forcing", force, "A sentence after a wrong word, with teacher forcing and running freely.")
    questions.add("/schedule", schedule, "How often the right word is fed in over a training.")
    questions.of_run("/paths", follow_paths, "The gradient of a word through weights and values, and one update.")
    questions.of_run("/looks", looks, "How a mechanism looks at each step: draws and windows.")
    questions.add("/kernel", regress, "Kernel regression of 1964.")
