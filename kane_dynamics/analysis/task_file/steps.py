# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""The motion of a task file: its steps, each of which begins where the one before ended."""

from __future__ import annotations

from kane_dynamics.analysis.task_file.joint_steps import JOINT_STEPS
from kane_dynamics.analysis.task_file.recorded_steps import RECORDED_STEPS
from kane_dynamics.analysis.task_file.space_steps import read_space_step, SPACE
from kane_dynamics.analysis.task_file.step_context import (
    check_duration, Entries, StepContext, StepReader)
from kane_dynamics.exceptions import KaneDynamicsError
from kane_dynamics.io.marked_yaml import FileError, ImpossibleError, Marked
from kane_dynamics.io.text import clean, did_you_mean, PATH
from kane_dynamics.task.finding import TaskError
from kane_dynamics.task.inverse_kinematics import NotReachedError
from kane_dynamics.task.task import Task, TaskSequence

READERS: dict[str, StepReader] = {
    **JOINT_STEPS, **RECORDED_STEPS, **dict.fromkeys(SPACE, read_space_step)}
STEPS = tuple(READERS)
# names of the same steps in the languages of robot controllers
SYNONYMS = {'ptp': 'move', 'movej': 'move', 'movel': 'line', 'linear': 'line', 'circ': 'arc',
            'circle': 'arc', 'movec': 'arc', 'wait': 'hold', 'pause': 'hold', 'csv': 'samples',
            'rosbag': 'bag'}
ANY_DURATION = ('hold', *RECORDED_STEPS)    # at rest, or sampled already


def read_motion(marked: Marked, context: StepContext) -> Task:
    """Return the Task of the entry `task`: one step, or a list of steps."""
    steps = marked.items() if marked.is_list else [marked]
    if not steps:
        marked.fail(f'no step; a step is one of {", ".join(STEPS)}')
    tasks = []
    for step in steps:
        task, context = _read_step(step, context)
        tasks.append(task)
    return marked.build(TaskSequence, tasks) if len(tasks) > 1 else tasks[0]


def _read_step(step: Marked, context: StepContext) -> tuple[Task, StepContext]:
    """Return the Task of a step and the context of the next one."""
    entries = step.entries()
    kinds = [name for name in entries if name in READERS]
    if len(kinds) != 1:
        step.fail(f'expected one of {", ".join(STEPS)}; got '
                  f'{clean(", ".join(kinds or entries), PATH) or "nothing"}'
                  f'{"" if kinds else _nearest_step(entries)}')
    try:
        task = READERS[kinds[0]](step, entries, context)
        following = context.after(task)
        if kinds[0] not in ANY_DURATION:
            check_duration(step, task.duration, context)
    except FileError:
        raise
    except (TaskError, NotReachedError) as error:
        step.fail(str(error), ImpossibleError)
    except KaneDynamicsError as error:
        step.fail(str(error))
    return task, following


def _nearest_step(entries: Entries) -> str:
    """Return '; did you mean X?' for the first name that is similar to that of a step."""
    for name in entries:
        synonym = SYNONYMS.get(name.lower())
        meant = f'; did you mean {synonym!r}?' if synonym else did_you_mean(name, STEPS)
        if meant:
            return meant
    return ''
