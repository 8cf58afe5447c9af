"""The routes of what models that read and write text are asked."""

from fastapi import APIRouter

from jumok.studio.arithmetic import work_through
from jumok.studio.compare import compare
from jumok.studio.effects import effects
from jumok.studio.learn import learn
from jumok.studio.payload import TranslateAnswer, TranslateRequest
from jumok.studio.payload_views import CompareAnswer, CompareRequest, LearnAnswer, LearnRequest
from jumok.studio.questions import Questions
from jumok.studio.sessions import Session
from jumok.studio.studio import Studio
from jumok.studio.translate import translate
from jumok.studio.whatif import what_if


def add_text(router: APIRouter, studio: Studio) -> None:
    """What models that read and write text are asked."""

    def translate_by_the_book(session: Session, request: TranslateRequest) -> TranslateAnswer:
        return translate(session, request, studio.book)

    def compare_runs(request: CompareRequest) -> CompareAnswer:
        return compare(studio.runs, studio.sessions, request, studio.book)

    def learn_steps(request: LearnRequest) -> LearnAnswer:
        return learn(studio.runs.get(request.run), studio.sessions, request, studio.book, studio.frames)

    questions = Questions(router, studio)
    questions.of_run("/translate", translate_by_the_book, "Translates, or reads a given target.")
    questions.of_run("/step", work_through, "The arithmetic of one step, with the model's numbers.")
    questions.of_run("/whatif", what_if, "Decodes again under edits.")
    questions.of_run("/effects", effects, "The measured effect of each source word.")
    questions.add("/compare", compare_runs, "One sentence through several runs.")
    questions.add("/learn", learn_steps, "One pair under the weights of many steps.")
