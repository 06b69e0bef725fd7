# Copyright 2026 The kane_dynamics authors
# SPDX-License-Identifier: Apache-2.0
"""Play a bag into running nodes on simulated time, record them, compare with a stored result.

kane replay recording --answer /monitor/residual -o first
kane replay recording --answer /monitor/residual -o second --compare first
"""

from pathlib import Path

from kane_dynamics.bags.comparison import compare_bags
from kane_dynamics.bags.joint_states import TYPE
from kane_dynamics.bags.source import BagSource
from kane_dynamics.commands.bag_options import free_path, pair
from kane_dynamics.exceptions import InputError, MissingDependencyError
from kane_dynamics.motion.progress import Progress


def add_arguments(parser):
    """Add what the command takes."""
    parser.add_argument('bag', help='a rosbag2 folder, .db3 or .mcap file')
    parser.add_argument('--play', action='append', default=[], metavar='TOPIC',
                        help='a topic to play; the first one drives; default: the one with '
                        'sensor_msgs/msg/JointState')
    parser.add_argument('--remap', type=pair, action='append', default=[], metavar='OLD=NEW',
                        help='publish a topic of the bag under another name')
    parser.add_argument('--answer', default='', metavar='TOPIC',
                        help='wait for one message on TOPIC after each of the driving topic: '
                        'nothing is lost, and runs can be compared bit by bit')
    parser.add_argument('--record', nargs='+', default=[], metavar='TOPIC',
                        help='what to record; default: the answer')
    parser.add_argument('-o', '--output', metavar='NAME',
                        help='write the bag NAME; default: the name of the bag and "_replayed", '
                        'numbered where it exists')
    parser.add_argument('--compare', metavar='BAG',
                        help='compare the record with a stored one; exit status 1 if it differs')
    parser.add_argument('--rate', type=float, default=1.0,
                        help='speed without --answer; 1, the default, is real time')
    parser.add_argument('--no-clock', action='store_true',
                        help='do not publish /clock: another node does')
    parser.add_argument('--patience', type=float, default=30.0, metavar='S',
                        help='longest wait for nodes and answers, default 30 s')


def run(arguments):
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
    print(f'played {outcome.played} messages, {outcome.repeated} of them again for want of an '
          'answer')
    for topic, count in outcome.recorded.items():
        print(f'recorded {count} messages of {topic}')
    for note in source.notes:
        print(f'# {note}')
    print(f'written: {output}')
    if not arguments.compare:
        return 0
    found = compare_bags(output, arguments.compare, record)
    print('\n'.join(found) if found else f'the same bits as {arguments.compare}')
    return 1 if found else 0
