"""The doctor's checks of machine, model and package; those of the robot want ROS."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from fake_ollama import fake_ollama, show, streamed

from semantic_nav.cli.doctor import _hypothesis_config, main
from semantic_nav.contracts.documents import Belief
from semantic_nav.contracts.vocabulary import Level
from semantic_nav.doctor import self_check as checks
from semantic_nav.doctor import small_mission
from semantic_nav.doctor.advice import ADVICE, OF_ANY, advice
from semantic_nav.doctor.agreement import AGREEMENTS, agreement, names_by_node
from semantic_nav.doctor.finding import Finding, good, worst
from semantic_nav.doctor.machine import machine
from semantic_nav.doctor.model import model
from semantic_nav.doctor.parameter_file import read, together, unknown
from semantic_nav.doctor.self_check import self_check
from semantic_nav.vlm.config import HypothesisConfig

ROOT = Path(__file__).parents[2]
MB = 1_000_000
ENVIRONMENT = {'HOME': '/', 'RMW_IMPLEMENTATION': 'rmw_cyclonedds_cpp', 'ROS_DOMAIN_ID': '7'}
NO_PROCESSES = Path('/nowhere')


def found(about: str, environ: dict[str, str], free_mb: int = 100_000) -> Finding:
    found_here = machine({**ENVIRONMENT, **environ}, lambda path: free_mb * MB, NO_PROCESSES)
    return next(one for one in reversed(found_here) if one.about == about)


def test_domain_is_told() -> None:
    assert 'domain 7' in found('ROS', {}).words


@pytest.mark.parametrize(('free_mb', 'level'), [
    (2000, Level.OK), (1999, Level.WARN), (49, Level.ERROR)])
def test_little_room_on_the_disk(free_mb: int, level: Level) -> None:
    finding = found('disk', {}, free_mb)
    assert finding.level is level and f'{free_mb} MB' in finding.words
    assert bool(finding.mend) == (level is not Level.OK)


def test_fast_dds_needs_its_profile_for_pictures() -> None:
    fast = {'RMW_IMPLEMENTATION': 'rmw_fastrtps_cpp'}
    assert found('shared memory', {}).level is Level.OK
    assert found('shared memory', fast).mend.startswith('export FASTRTPS_DEFAULT_PROFILES_FILE=')
    assert found('shared memory', {
        **fast, 'FASTRTPS_DEFAULT_PROFILES_FILE': 'x.xml'}).level is Level.OK
    assert '--shm-size' in found('shared memory', {}, 10).mend


def ros_of(folder: Path, version: str) -> dict[str, str]:
    """Return the environment of a ROS with an rcl of that version."""
    (folder / 'share' / 'rcl').mkdir(parents=True)
    (folder / 'share' / 'rcl' / 'package.xml').write_text(f'<version>{version}</version>')
    return {'AMENT_PREFIX_PATH': f'/none:{folder}'}


JAZZY_RCL, KILTED_RCL = '9.2.8', '10.1.2'


def test_profile_of_fast_dds_has_the_name_that_this_ros_reads(tmp_path: Path) -> None:
    kilted = {'RMW_IMPLEMENTATION': 'rmw_fastrtps_cpp', **ros_of(tmp_path, KILTED_RCL)}
    name = 'FASTDDS_DEFAULT_PROFILES_FILE'
    assert found('shared memory', kilted).mend.startswith(f'export {name}=')
    assert found('shared memory', {
        **kilted, 'FASTRTPS_DEFAULT_PROFILES_FILE': 'x.xml'}).level is Level.WARN
    assert found('shared memory', {**kilted, name: 'x.xml'}).level is Level.OK


def test_localhost_only_is_told_as_this_ros_takes_it(tmp_path: Path) -> None:
    only = {'ROS_LOCALHOST_ONLY': '1'}
    jazzy = found('ROS', {**only, **ros_of(tmp_path / 'jazzy', JAZZY_RCL)})
    assert jazzy.level is Level.OK and 'discovery LOCALHOST by ROS_LOCALHOST_ONLY' in jazzy.words
    later = {**only, **ros_of(tmp_path / 'kilted', KILTED_RCL)}
    kilted = found('ROS', later)
    assert kilted.level is Level.WARN and 'discovery SUBNET' in kilted.words
    assert 'ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST' in kilted.mend
    assert found('ROS', {**later, 'ROS_LOCALHOST_ONLY': '0'}).level is Level.OK


def test_distributions_that_share_no_memory_are_told(tmp_path: Path) -> None:
    def told(*libraries: str) -> list[Finding]:
        for number, library in enumerate(libraries):
            process = tmp_path / str(number + 1)
            process.mkdir(exist_ok=True)
            (process / 'maps').write_text(f'7f00-7f01 r-xp 0000 08:01 5   /opt/lib/{library}\n')
        return [one for one in machine(ENVIRONMENT, processes=tmp_path)
                if 'share no memory' in one.words]
    assert not told('libfastrtps.so.2.14.5', 'libfastrtps.so.2.14.4', 'libc.so.6')
    (finding,) = told('libfastrtps.so.2.14.5', 'libfastdds.so.3.2.2')
    assert finding.level is Level.WARN and 'Fast DDS 2.14 and 3.2' in finding.words
    assert 'one distribution' in finding.mend


def test_package_passes_its_own_check(capsys: pytest.CaptureFixture[str]) -> None:
    assert {one.level for one in self_check()} == {Level.OK}
    assert main(['--self-check']) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 5 and all(line.startswith('ok ') for line in lines)


@pytest.mark.parametrize(('name', 'value', 'about', 'words'), [
    ('differing_files', lambda: {'belief.schema.json': '{}'}, 'schemas', 'belief.schema.json'),
    ('gate', lambda text, context: None, 'gate', 'is let through'),
    ('refuse', lambda mission, *rest: 1 / 0, 'belief', 'ZeroDivisionError'),
    ('VerifierCore', lambda *args: None, 'verifier', 'AttributeError')])
def test_broken_part_is_found(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
                              name: str, value: object, about: str, words: str) -> None:
    monkeypatch.setattr(checks, name, value)
    bad = [one for one in self_check() if one.level is Level.ERROR]
    assert [one.about for one in bad] == [about] and words in bad[0].words
    assert main(['--self-check']) == 1
    assert f'BAD   {about}' in capsys.readouterr().out


@pytest.mark.parametrize(('changes', 'words'), [
    ({'rejection_reason': ''}, "says '' of the refusal"),
    ({'reason': 'the robot stands', 'stands': True}, 'neither why, nor whether'),
    ({'outcome': None}, 'does not give up')])
def test_what_the_belief_does_not_publish_is_found(monkeypatch: pytest.MonkeyPatch,
                                                   changes: dict[str, object], words: str) -> None:
    encode = small_mission.encode_document
    monkeypatch.setattr(small_mission, 'encode_document', lambda document: encode(
        replace(document, body=replace(document.body, **changes))
        if isinstance(document.body, Belief) else document))
    bad = [one for one in self_check() if one.level is Level.ERROR]
    assert [one.about for one in bad] == ['mission'] and words in bad[0].words


def test_model_that_is_not_there_is_named(capsys: pytest.CaptureFixture[str],
                                          tmp_path: Path) -> None:
    file = tmp_path / 'params.yaml'
    file.write_text('/**/hypothesis:\n  ros__parameters:\n    model: some-model\n'
                    '    base_url: http://localhost:9\n    image_topic: ignored\n')
    assert main(['--no-robot', '--params', str(file)]) == 1
    assert re.search(r'BAD +model some-model +no model server at localhost:9',
                     capsys.readouterr().out)


def test_model_that_gets_no_picture_is_a_warning() -> None:
    reply = {'action': 'explore', 'target_status': 'not_visible', 'confidence_percent': 40,
             'scene': {'place': '', 'objects': []}, 'rationale': 'none'}
    with fake_ollama() as server:
        server.answers['/api/show'] = show('vision')
        server.on_chat(streamed(json.dumps(reply)))
        config = HypothesisConfig(base_url=server.url, model='eyes', warm_up=False)
        assert 'took 500 of the tokens' in model(config, {})[-1].words
        server.counts = (1200, 1200)
        finding = next(one for one in model(config, {}) if 'never reached' in one.words)
    assert finding.level is Level.WARN and 'docs/models.md' in finding.mend
    assert finding.words.startswith('the picture never reached eyes')


@pytest.mark.parametrize(('text', 'words'), [
    (None, 'nothing.yaml'), ('a: [', 'nothing.yaml'),
    ('/**/hypothesis: {ros__parameters: {vlm_backend: nobody}}', 'nobody'),
    ('/**/hypothesis: {ros__parameters: {vlm_backend: openai, api_key_file: /nowhere/key}}',
     '/nowhere/key'),
    ('hypothesis: {ros__parameters: {image_long_side_px: -3}}', 'image_long_side_px')])
def test_what_is_wrong_with_the_file_is_a_finding(
        capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str | None,
        words: str) -> None:
    file = tmp_path / 'nothing.yaml'
    if text is not None:
        file.write_text(text)
    assert main(['--no-robot', '--params', str(file)]) == 1
    said = capsys.readouterr()
    assert said.err == '' and words in said.out
    assert 'BAD   model' in said.out and 'disk' in said.out


@pytest.mark.parametrize('text', ['- a list', 'hypothesis: 3', '/**: {ros__parameters: [1]}', ''])
def test_file_that_says_nothing_of_the_node_leaves_the_usual(tmp_path: Path, text: str) -> None:
    file = tmp_path / 'params.yaml'
    file.write_text(text)
    assert _hypothesis_config(file, '').model == HypothesisConfig().model


def test_names_that_no_node_takes_are_told(capsys: pytest.CaptureFixture[str],
                                            tmp_path: Path) -> None:
    file = tmp_path / 'params.yaml'
    file.write_text("""
/**: {ros__parameters: {use_sim_time: true, map_frame: map, sead: 1}}
/**/verifier: {ros__parameters: {stand_off_neer_m: 0.5, stand_off_m: 1.0, robot_radius: 0.2}}
/r1/hypothesis: {ros__parameters: {qos_overrides: {/tf: {depth: 1}}, zzz: 1}}
r2: {memory: {ros__parameters: {map_idd: home}}}
hypotesis: {ros__parameters: {model: a}}
bt_navigator: {ros__parameters: {default_server_timeout: 1000}}
""")
    main(['--no-robot', '--params', str(file)])
    lines = [line for line in capsys.readouterr().out.splitlines()
             if re.match(r'\w+ +parameters ', line)]
    assert [re.sub(r'^warn +parameters +', '', line) for line in lines] == [
        "/**: sead is no parameter; is 'seed' meant?",
        "/**/verifier: stand_off_neer_m is no parameter of it; is 'stand_off_near_m' meant?",
        '/**/verifier: stand_off_m is a parameter of belief',
        '/r1/hypothesis: zzz is no parameter of it',
        "r2/memory: map_idd is no parameter of it; is 'map_id' meant?",
        "hypotesis: no node of ours has that name; is 'hypothesis' meant?"]


def test_our_own_file_holds_nothing_unknown() -> None:
    [finding] = unknown(read(ROOT / 'config' / 'semantic_nav.yaml'))
    assert finding.level is Level.OK and 'all known' in finding.words


@pytest.mark.parametrize('file', [
    ROOT / 'config' / 'semantic_nav.yaml', *sorted((ROOT / 'config' / 'robots').glob('*.yaml'))],
    ids=lambda file: file.stem)
def test_our_own_files_agree(file: Path) -> None:
    [finding] = agreement(together(read(file), ''))
    # No file says whether time is simulated: the launch file does.
    count = len([one for one in AGREEMENTS if one.other_name != 'use_sim_time'])
    assert finding.level is Level.OK and f'all {count} pairs' in finding.words


@pytest.mark.parametrize(('section', 'words', 'mend'), [
    ('/**/verifier: {ros__parameters: {stand_off_last_m: 1.2}}',
     'stand_off_last_m of verifier (1.2) must be less than stand_off_m of belief (1.2)',
     'set stand_off_last_m of verifier or stand_off_m of belief'),
    ('memory: {ros__parameters: {map_frame: home}}',
     "map_frame of memory ('home') must be the same as map_frame of verifier ('map')",
     'set map_frame of memory'),
    ('/r1/verifier: {ros__parameters: {other_cameras: rear}}',
     "other_cameras of hypothesis ('') must be the same as other_cameras of verifier ('rear')",
     'set other_cameras of hypothesis'),
    ('/**/hypothesis: {ros__parameters: {picture_timeout_s: 5}}',
     'picture_timeout_s of hypothesis (5) must be less than part_wait_s of belief (5.0)',
     'set picture_timeout_s of hypothesis'),
    ('/**/verifier: {ros__parameters: {cancel_max_s: 6.0}}',
     'cancel_max_s + settle_max_s of verifier (10.0) must be less than stop_wait_s of belief',
     'set cancel_max_s + settle_max_s of verifier'),
    ('/**/verifier: {ros__parameters: {use_sim_time: true}}\n'
     'belief: {ros__parameters: {use_sim_time: false}}',
     'use_sim_time of belief (False) must be the same as use_sim_time of verifier (True)',
     'set use_sim_time of belief')])
def test_parameters_that_disagree_are_told_with_nodes_and_values(
        capsys: pytest.CaptureFixture[str], tmp_path: Path, section: str, words: str,
        mend: str) -> None:
    file = tmp_path / 'params.yaml'
    file.write_text(section)
    assert main(['--no-robot', '--namespace', 'r1', '--params', str(file)]) == 1
    said = capsys.readouterr().out.splitlines()
    [at] = [index for index, line in enumerate(said) if ' agreement ' in line]
    assert said[at].startswith('BAD   agreement') and words in said[at]
    assert mend in said[at + 1]


@pytest.mark.parametrize('section', [
    # Their order does not count, and of a wrong type the model or the node itself tells.
    '/**: {ros__parameters: {other_cameras: "rear, left"}}\n'
    '/**/verifier: {ros__parameters: {other_cameras: "left,rear"}}',
    '/**/verifier: {ros__parameters: {stand_off_last_m: far, map_frame: 3}}',
    '/r2/memory: {ros__parameters: {map_frame: home}}',
    '/**: {ros__parameters: {map_frame: home, use_sim_time: true}}'])
def test_parameters_that_agree_are_no_fault(tmp_path: Path, section: str) -> None:
    file = tmp_path / 'params.yaml'
    file.write_text(section)
    [finding] = agreement(together(read(file), 'r1'))
    assert finding.level is Level.OK


def test_of_a_single_node_nothing_is_said() -> None:
    assert agreement({'verifier': {'map_frame': 'map', 'stand_off_last_m': 1.1}}) == []
    assert agreement({'verifier': {}, 'memory': {'map_frame': None}}) == []


def test_agreement_asks_for_known_parameters() -> None:
    usual = together({}, '')
    for node, names in names_by_node().items():
        assert {*names} - {'use_sim_time'} <= {*usual[node]}


def test_pages_list_the_agreements() -> None:
    page = (ROOT / 'docs' / 'interfaces.md').read_text(encoding='utf-8')
    rows = re.findall(r'^\| (`.*?`) of ([\w, ]+) \| (.*?) `(\w+)` of (\w+) \| (.*?) \|$',
                      page.partition('<!-- agreement: ')[2].partition('\n\n')[0], re.MULTILINE)
    listed = {(node, tuple(re.findall(r'`(\w+)`', names)), f'must be {relation}', other, name,
               harm)
              for names, nodes, relation, name, other, harm in rows for node in nodes.split(', ')}
    assert listed == {(one.node, one.names, one.relation, one.other_node, one.other_name, one.harm)
                      for one in AGREEMENTS}


def test_what_names_the_node_counts_more(tmp_path: Path) -> None:
    file = tmp_path / 'params.yaml'
    file.write_text('/r1/hypothesis: {ros__parameters: {model: mine}}\n'
                    '/r2/hypothesis: {ros__parameters: {model: other}}\n'
                    '/**: {ros__parameters: {model: all}}\n')
    assert [_hypothesis_config(file, one).model for one in ('r1', 'r2', 'r3')] == [
        'mine', 'other', 'all']


def test_advice_is_that_of_the_pages() -> None:
    rows = re.findall(r'^\| (`\w+: [^|]*`) \|', (ROOT / 'docs' / 'operating.md').read_text(),
                      re.MULTILINE)
    told = set()
    for row in rows:
        first, *others = re.findall(r'`([^`]+)`', row)
        node, _, entry = first.partition(': ')
        told |= {(node, one) for one in (entry, *others)}
    assert told == set(ADVICE)
    # What nodes say of themselves by a name that stands in the code, other than that all is well.
    said = {name for path in (ROOT / 'semantic_nav').rglob('*.py')
            for name in re.findall(r"\b[rR]eport\(\s*'([^']+)',(?! Level\.OK,)",
                                   path.read_text(encoding='utf-8'))}
    assert said - {entry for _, entry in ADVICE} - set(OF_ANY) <= {'dropped', 'places'}
    assert advice('belief', 'journal') == OF_ANY['journal'] and advice('belief', 'odd') == ''


def test_worst_of_nothing_is_good() -> None:
    assert worst([]) is Level.OK
    assert worst([good('a', 'b'), Finding(Level.WARN, 'a', 'b')]) is Level.WARN
