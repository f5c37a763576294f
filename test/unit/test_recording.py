"""A recording: what the file says of types, and that nothing that befalls it is an exception."""

import os
from pathlib import Path

from full_disk import no_room
from mcap.reader import make_reader
from recordings import read

from semantic_nav.nodes.ros.message_definition import definition
from semantic_nav.nodes.ros.recording import Recording

MB = 1 << 20
TEXTS = {
    'a_msgs/Top': """# not_a/Type in a comment
Kind first
b_msgs/Part[<=4] parts
string<=10 name
float64[9] k  # b_msgs/Nothing here
uint8 ON=1
Kind[] others
""",
    'a_msgs/Kind': 'string name\n  # an indented comment\n',
    'b_msgs/Part': 'Inner inner',
    'b_msgs/Inner': 'bool on\n',
}
LINE = '=' * 80


def recording(folder: Path, max_mb: int = 10, free_mb: int = 100) -> Recording:
    return Recording(folder / 'session' / 'recorder.mcap', max_mb, 50, lambda: free_mb * MB)


def channel(made: Recording, topic: str = '/goal') -> int:
    return made.add_topic(topic, 'std_msgs/msg/String', 'string data\n', '- depth: 1\n')


def test_a_type_is_told_with_all_that_it_needs_once() -> None:
    wanted: list[str] = []

    def text(package: str, name: str) -> str:
        wanted.append(f'{package}/{name}')
        return TEXTS[wanted[-1]]

    told = definition('a_msgs/msg/Top', text)
    assert wanted == ['a_msgs/Top', 'a_msgs/Kind', 'b_msgs/Part', 'b_msgs/Inner']
    assert told == '\n'.join([
        TEXTS['a_msgs/Top'],
        f'{LINE}\nMSG: a_msgs/Kind\n{TEXTS["a_msgs/Kind"]}',
        f'{LINE}\nMSG: b_msgs/Part\n{TEXTS["b_msgs/Part"]}',
        f'{LINE}\nMSG: b_msgs/Inner\n{TEXTS["b_msgs/Inner"]}'])


def test_what_was_written_is_read_back(tmp_path: Path) -> None:
    made = recording(tmp_path)
    goal, answer = channel(made), channel(made, '/answer')
    made.write(goal, 7, b'seven')
    made.write(answer, 6, b'six')
    made.write(goal, 9, b'nine')
    made.end('enough')
    with made.path.open('rb') as file:
        reader = make_reader(file, validate_crcs=True)
        summary = reader.get_summary()
        found = [(kind.name, kind.encoding, kind.data, one.topic, one.message_encoding,
                  one.metadata, message.log_time, message.publish_time, message.data)
                 for kind, one, message in reader.iter_messages()]
        assert reader.get_header().profile == 'ros2'
    kind = ('std_msgs/msg/String', 'ros2msg', b'string data\n')
    how = ('cdr', {'offered_qos_profiles': '- depth: 1\n'})
    assert found == [(*kind, topic, *how, at_ns, at_ns, message) for topic, at_ns, message in (
        ('/answer', 6, b'six'), ('/goal', 7, b'seven'), ('/goal', 9, b'nine'))]
    assert len(summary.schemas) == 1 and made.ended == 'enough'


def test_what_was_flushed_outlives_the_process(tmp_path: Path) -> None:
    made = recording(tmp_path)
    goal = channel(made)
    made.write(goal, 1, b'flushed')
    made.flush()
    made.write(goal, 2, b'in hand')
    found = read(made.path)
    assert found.of('/goal') == [b'flushed'] and not found.whole


def test_it_ends_at_its_size_with_all_that_it_took(tmp_path: Path) -> None:
    made = recording(tmp_path, max_mb=2)
    goal, taken = channel(made), 0
    while not made.ended:
        assert taken < 100
        made.write(goal, taken, os.urandom(MB // 4))
        taken += 1
    made.write(goal, taken, b'after')
    assert made.ended == 'it has 2 MB'
    found = read(made.path)
    assert found.whole and len(found.of('/goal')) == taken
    assert 2 * MB < made.path.stat().st_size < 4 * MB


def test_it_ends_before_the_disk_is_full(tmp_path: Path) -> None:
    made = recording(tmp_path, free_mb=49)
    assert made.ended == 'less than 50 MB of the disk are free'
    assert read(made.path).whole


def test_a_full_disk_ends_it_and_leaves_what_there_was(tmp_path: Path) -> None:
    made = recording(tmp_path)
    goal = channel(made)
    made.write(goal, 1, b'before')
    made.flush()
    with no_room(made.path.stat().st_size + 100):
        made.write(goal, 2, os.urandom(1000))
        made.flush()
    assert made.ended == 'it cannot be written: File too large'
    made.write(goal, 3, b'after')
    made.flush()
    made.end('enough')
    assert read(made.path).of('/goal') == [b'before'] and 'File too large' in made.ended


def test_a_file_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / 'session').touch()
    made = recording(tmp_path)
    assert made.ended.startswith('it cannot be written: ')
    made.end('enough')
