# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Play a bag to running nodes on simulated time, record their answers, compare with another bag.

kane replay recording --answer /monitor/residual -o first
kane replay recording --answer /monitor/residual -o second --compare first
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from kane_dynamics.commands.options.arm_options import pair, quantity
from kane_dynamics.commands.options.bag_options import free_path
from kane_dynamics.exceptions import InputError, MissingDependencyError
from kane_dynamics.io.progress import Progress
from kane_dynamics.io.text import clean, PATH
from kane_dynamics.recorded.bags.comparison import compare_bags
from kane_dynamics.recorded.bags.joint_states import TYPE
from kane_dynamics.recorded.bags.source import BagSource


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument('bag', help='rosbag2 folder, .db3 or .mcap file')
    parser.add_argument('--play', action='append', default=[], metavar='TOPIC',
                        help='topic to play, may be repeated; the first one triggers the answers; '
                        'default: the one of type sensor_msgs/msg/JointState')
    parser.add_argument('--remap', type=pair, action='append', default=[], metavar='OLD=NEW',
                        help='publish a topic of the bag under another name; may be repeated')
    parser.add_argument('--answer', default='', metavar='TOPIC',
                        help='wait for a message on TOPIC after each message of the first topic: '
                        'no message is lost, and runs can be compared bit by bit')
    parser.add_argument('--record', nargs='+', default=[], metavar='TOPIC',
                        help='topics to record; default: the one of --answer')
    parser.add_argument('-o', '--output', metavar='NAME',
                        help='bag to write; default: the name of the bag and "_replayed", with a '
                        'number if it exists')
    parser.add_argument('--compare', metavar='BAG',
                        help='compare the recorded topics with this bag; exit status 1 if they '
                        'differ')
    parser.add_argument('--rate', type=float, default=1.0,
                        help='playback speed without --answer; 1 (the default) is real time')
    parser.add_argument('--no-clock', action='store_true',
                        help='do not publish /clock, if another node does')
    parser.add_argument('--patience', type=quantity('s'), default=30.0, metavar='S',
                        help='longest wait for nodes and answers, default 30 s')


def run(arguments: Namespace) -> int:
    """Play, record, compare."""
    record = tuple(arguments.record or ([arguments.answer] if arguments.answer else []))
    if not record:
        raise InputError('nothing is recorded: give --answer TOPIC or --record TOPIC ...')
    if not arguments.rate > 0.0 or not arguments.patience > 0.0:
        raise InputError('--rate and --patience must be positive')
    source = BagSource(arguments.bag)
    topics = [source.topic(name) for name in arguments.play] or [source.topic(type_=TYPE)]
    names = dict(arguments.remap)
    play = {topic.name: names.get(topic.name, topic.name) for topic in topics}
    try:
        from kane_dynamics.nodes.replay import Plan, replay
    except ImportError as error:
        raise MissingDependencyError(
            f'replay needs ROS 2 (rclpy): {error}; source a distribution, or '
            'pip install -r requirements/ros.txt') from None
    output = free_path(arguments.output or f'{Path(arguments.bag).resolve().stem}_replayed')
    total = sum(topic.count for topic in topics)
    with Progress(total, 'replaying') as progress:
        outcome = replay(arguments.bag, output, Plan(
            play, arguments.answer, record, arguments.rate, not arguments.no_clock,
            arguments.patience, progress.reach))
    print(f'played {outcome.played} messages; {outcome.repeated} were sent again because no '
          'answer came')
    for topic, count in outcome.recorded.items():
        print(f'recorded {count} messages of {clean(topic, PATH)}')
    for note in outcome.notes:
        print(f'# {note}')
    print(f'written: {output}')
    if not arguments.compare:
        return 0
    found = compare_bags(output, arguments.compare, record)
    print('\n'.join(found) if found else f'identical to {arguments.compare}')
    return 1 if found else 0
