"""The parameters, and the wall around this machine."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.parameters import build, specs
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.gate.boxes import BoxConvention
from semantic_nav.vlm.settings.backends import BACKENDS
from semantic_nav.vlm.settings.environment import with_environment
from semantic_nav.vlm.settings.server_url import server_url


@pytest.mark.parametrize(('url', 'server'), [
    ('http://localhost:11434', 'http://localhost:11434'),
    ('http://localhost', 'http://localhost:80'),
    ('https://localhost/', 'https://localhost:443'),
    ('http://127.0.0.1:8080', 'http://127.0.0.1:8080'),
    ('http://127.9.8.7:1', 'http://127.9.8.7:1'),
    ('http://[::1]:11434', 'http://[::1]:11434'),
    ('HTTP://LOCALHOST:11434', 'http://localhost:11434'),
    ('http://localhost:8080/v1', 'http://localhost:8080'),
    ('http://localhost:8080/v1/', 'http://localhost:8080'),
    ('http://localhost:8080/v1/chat/completions', 'http://localhost:8080'),
    ('http://localhost:4000/gateway', 'http://localhost:4000/gateway'),
    ('http://localhost:4000/team-a/llm/v1/', 'http://localhost:4000/team-a/llm'),
    ('https://localhost/llm/v1/chat/completions', 'https://localhost:443/llm'),
])
def test_servers_on_this_machine(url: str, server: str) -> None:
    assert server_url(url) == server
    assert HypothesisConfig(base_url=url).base_url == server


@pytest.mark.parametrize('url', [
    'localhost:11434', 'http://', 'http://:11434', 'ftp://localhost', 'file:///etc/passwd',
    'http://192.168.1.5:11434', 'http://10.0.0.1', 'http://0.0.0.0:11434', 'http://[::]:11434',
    'http://example.com', 'https://api.openai.com/v1', 'http://localhost.example.com',
    'http://127.0.0.1.example.com', 'http://localhost.', 'http://127.1', 'http://2130706433',
    'http://0x7f000001', 'http://[::ffff:8.8.8.8]', 'http://user:secret@localhost:11434',
    'http://localhost:11434@example.com', 'http://localhost\\@example.com', 'http://@localhost',
    'http://example.com#@localhost', 'http://localhost#example.com', 'http://localhost?x',
    'http://localhost/v2', 'http://localhost/v1/models', 'http://localhost//v1',
    'http://localhost/a/../v1', 'http://localhost/a//v1', 'http://localhost/a%2fb/v1',
    'http://localhost/chat/completions', 'http://localhost/v3/models',
    'http://localhost:0', 'http://localhost:99999', 'http://localhost:port', 'http://local host',
    'http://localhost\n', 'http://lоcalhost',  # noqa: RUF001 (Cyrillic)
    'http://[::1', 'http://１２７.0.0.1',  # noqa: RUF001
])
def test_other_machines_are_refused(url: str) -> None:
    with pytest.raises(ConfigError) as caught:
        build(HypothesisConfig, {'base_url': url})
    assert repr(url) in str(caught.value)


@given(st.text(max_size=30).map(lambda text: f'http://{text}') | st.text(max_size=30))
def test_any_text_is_a_server_here_or_an_error(url: str) -> None:
    try:
        server = server_url(url)
    except ConfigError:
        return
    assert server_url(server) == server


@pytest.mark.parametrize(('backend', 'model', 'wanted', 'boxes'), [
    ('ollama', 'qwen2.5vl:7b', 'auto', BoxConvention.PIXELS),
    ('ollama', 'library/Qwen2.5-VL-3B', 'auto', BoxConvention.PIXELS),
    ('ollama', 'qwen3-vl:8b', 'auto', BoxConvention.PERMILLE),
    ('ollama', 'gemma3:4b', 'auto', BoxConvention.PERMILLE_YX),
    ('openai', 'google/gemma-3-4b-it', 'auto', BoxConvention.PERMILLE_YX),
    ('openai', 'Qwen/Qwen2.5-VL-7B-Instruct', 'auto', BoxConvention.PIXELS),
    ('ollama', 'llava:13b', 'auto', BoxConvention.UNIT),
    ('ollama', 'minicpm-v:8b', 'auto', BoxConvention.PERMILLE),
    ('ollama', 'some-model', 'auto', BoxConvention.PERMILLE),
    ('openai', 'qwen_qwen2.5-vl-7b-instruct', 'auto', BoxConvention.PIXELS),
    ('openai', 'qwen2_5-vl-7b', 'auto', BoxConvention.PIXELS),
    ('openai', 'unsloth_gemma-3-12b-it', 'auto', BoxConvention.PERMILLE_YX),
    ('ollama', 'gemma4:e4b', 'auto', BoxConvention.PERMILLE_YX),
    ('openai', 'google/gemma-4-E4B-it', 'auto', BoxConvention.PERMILLE_YX),
    ('ollama', 'gemma:4b', 'auto', BoxConvention.PERMILLE),
    ('openai', 'medgemma-4b-it', 'auto', BoxConvention.PERMILLE),
    ('ollama', 'moondream:1.8b', 'auto', BoxConvention.UNIT),
    ('ollama', 'qwen3.5:9b', 'auto', BoxConvention.PERMILLE),
    ('ollama', 'gemma3:4b', 'pixels', BoxConvention.PIXELS),
    ('ollama', 'qwen2.5vl:7b', 'permille', BoxConvention.PERMILLE),
    ('mock', 'qwen2.5vl:7b', 'auto', BoxConvention.PERMILLE),
])
def test_the_box_convention_goes_by_the_family(backend: str, model: str, wanted: str,
                                               boxes: BoxConvention) -> None:
    config = HypothesisConfig(vlm_backend=backend, model=model, box_convention=wanted)
    assert config.boxes is boxes


@pytest.mark.parametrize(('name', 'value'), [
    ('vlm_backend', 'cloud'), ('max_retries', 3), ('max_retries', -1), ('temperature', -0.1),
    ('num_ctx', 512), ('jpeg_quality', 100), ('box_convention', 'yolo'),
    ('num_predict', 10.5), ('think', 'no'), ('keep_alive', ''), ('keep_alive', 'forever'),
    ('keep_alive', '1h 30m')])
def test_a_wrong_value_is_refused_by_name(name: str, value: object) -> None:
    with pytest.raises(ConfigError, match=name):
        build(HypothesisConfig, {name: value})


@pytest.mark.parametrize(('written', 'sent'), [
    ('1h30m', '1h30m'), ('-1', '-1s'), ('0', '0s'), (' 300 ', '300s'), ('-1m', '-1m')])
def test_a_duration_has_the_units_that_ollama_wants(written: str, sent: str) -> None:
    config = HypothesisConfig(keep_alive=written)
    assert config.keep_alive == sent
    assert build(HypothesisConfig, vars(config)) == config


def test_the_defaults_are_valid() -> None:
    assert build(HypothesisConfig, {name: default for name, (default, _)
                                    in specs(HypothesisConfig).items()}) == HypothesisConfig()


def test_what_is_left_empty_gets_its_default() -> None:
    config = HypothesisConfig()
    assert (config.vlm_backend, config.base_url, config.model) == (
        'ollama', 'http://localhost:11434', 'qwen2.5vl:7b')
    assert (config.temperature, config.max_retries, config.request_timeout_s) == (0.2, 1, 120.0)


@pytest.mark.parametrize('name', sorted(BACKENDS))
@pytest.mark.parametrize('model', ['', '  ', 'default', 'Default '])
def test_names_ignore_case_and_a_blank_model_is_the_backends(name: str, model: str) -> None:
    hosts = 'api.anthropic.com'
    config = HypothesisConfig(vlm_backend=f' {name.title()}', model=model, allowed_hosts=hosts)
    assert config.vlm_backend == name
    assert config.model == BACKENDS[name].model


def test_a_complete_configuration_stays_as_it_is() -> None:
    """A journal holds the complete one, and a replay builds it again."""
    config = HypothesisConfig(vlm_backend='MOCK', base_url='http://localhost/v1/')
    assert build(HypothesisConfig, vars(config)) == config


ENVIRON = {'VLM_BACKEND': 'OpenAI', 'OPENAI_BASE_URL': 'http://127.0.0.1:8000/v1',
           'OPENAI_ENDPOINT': 'http://127.0.0.1:9/v1', 'OPENAI_API_KEY': 'secret',
           'OPENAI_TOOL_CHOICE': 'none', 'OPENAI_TIMEOUT': '30',
           'OPENAI_RESPONSE_FORMAT': 'json_object'}


def unset() -> dict[str, object]:
    return {name: default for name, (default, _) in specs(HypothesisConfig).items()}


def test_the_environment_speaks_where_a_parameter_is_empty() -> None:
    values = with_environment(unset(), ENVIRON)
    assert (values['vlm_backend'], values['base_url']) == ('openai', 'http://127.0.0.1:8000')
    assert values['request_timeout_s'] == 30.0
    assert (values['tool_choice'], values['response_format']) == ('none', 'json_object')
    assert 'secret' not in str(values)


def test_the_endpoint_counts_where_no_base_url_is_set() -> None:
    environ = {**ENVIRON, 'OPENAI_BASE_URL': ' '}
    assert with_environment(unset(), environ)['base_url'] == 'http://127.0.0.1:9'


@pytest.mark.parametrize(('base_url', 'endpoint', 'url'), [
    ('', '/v1/chat/completions', 'http://localhost:8080'),
    ('http://127.0.0.1:9', '/v1/chat/completions', 'http://127.0.0.1:9'),
    ('http://127.0.0.1:9/v1', '/v1/chat/completions', 'http://127.0.0.1:9'),
    ('http://127.0.0.1:9', '/gateway/v1/chat/completions/', 'http://127.0.0.1:9/gateway'),
    ('http://127.0.0.1:9/gateway/v1', '/v1', 'http://127.0.0.1:9/gateway'),
    ('', 'http://127.0.0.1:9/gateway/v1/chat/completions', 'http://127.0.0.1:9/gateway'),
    ('http://127.0.0.1:8000/v1', '/chat/completions', 'http://127.0.0.1:8000'),
    ('http://127.0.0.1:8000/v1/', 'chat/completions/', 'http://127.0.0.1:8000'),
    ('http://127.0.0.1:8000/v1', '/v1/chat/completions', 'http://127.0.0.1:8000'),
    ('http://127.0.0.1:8000', 'v1/chat/completions', 'http://127.0.0.1:8000'),
    ('http://127.0.0.1:8000/gateway/v1', '/chat/completions', 'http://127.0.0.1:8000/gateway'),
])
def test_the_endpoint_may_be_a_path_or_a_url(base_url: str, endpoint: str, url: str) -> None:
    environ = {'VLM_BACKEND': 'openai', 'OPENAI_BASE_URL': base_url, 'OPENAI_ENDPOINT': endpoint}
    assert with_environment(unset(), environ)['base_url'] == url


@pytest.mark.parametrize(('variables', 'wrong'), [
    ({'VLM_BACKEND': 'cloud'}, 'VLM_BACKEND'),
    ({'OPENAI_BASE_URL': 'http://example.com'}, 'OPENAI_BASE_URL'),
    ({'OPENAI_BASE_URL': 'localhost:8080', 'OPENAI_ENDPOINT': '/v1'}, 'OPENAI_BASE_URL'),
    ({'OPENAI_ENDPOINT': 'http://example.com/v1'}, 'OPENAI_ENDPOINT'),
    ({'OPENAI_ENDPOINT': 'v1/chat/completions'}, 'OPENAI_ENDPOINT'),
    ({'OPENAI_ENDPOINT': '/chat/completions'}, 'OPENAI_ENDPOINT'),
    ({'OPENAI_BASE_URL': 'http://localhost', 'OPENAI_ENDPOINT': 'chat/completions'},
     'OPENAI_ENDPOINT'),
    ({'OPENAI_BASE_URL': 'http://localhost/v1', 'OPENAI_ENDPOINT': 'completions'},
     'OPENAI_ENDPOINT'),
    ({'VLM_BACKEND': 'ollama', 'OLLAMA_PORT': 'many'}, 'OLLAMA_PORT'),
    ({'VLM_BACKEND': 'ollama', 'OLLAMA_PORT': '70000'}, 'OLLAMA_PORT'),
    ({'OPENAI_BASE_URL': 'http://localhost', 'OPENAI_ENDPOINT': '/../v1'}, 'OPENAI_ENDPOINT'),
    ({'OPENAI_RESPONSE_FORMAT': 'xml'}, 'OPENAI_RESPONSE_FORMAT'),
    ({'OPENAI_TOOL_CHOICE': 'some'}, 'OPENAI_TOOL_CHOICE'),
    ({'OPENAI_TIMEOUT': 'long'}, 'OPENAI_TIMEOUT'),
    ({'OPENAI_TIMEOUT': 'nan'}, 'OPENAI_TIMEOUT'),
    ({'OPENAI_TIMEOUT': '0'}, 'OPENAI_TIMEOUT'),
    ({'OPENAI_TIMEOUT': '1e9'}, 'OPENAI_TIMEOUT'),
    ({'VLM_BACKEND': 'ollama', 'OLLAMA_HOST': 'example.com'}, 'OLLAMA_HOST'),
])
def test_an_error_names_the_variable_that_was_wrong(variables: dict[str, str],
                                                    wrong: str) -> None:
    with pytest.raises(ConfigError, match=f'^environment {wrong} = '):
        with_environment(unset(), {'VLM_BACKEND': 'openai', **variables})


@pytest.mark.parametrize(('host', 'url'), [
    ('127.0.0.1', 'http://127.0.0.1:11434'), ('127.0.0.1:1234', 'http://127.0.0.1:1234'),
    (':1234', 'http://127.0.0.1:1234'), ('localhost', 'http://localhost:11434'),
    ('http://localhost:1234', 'http://localhost:1234'), ('http://localhost', 'http://localhost:80'),
    ('https://localhost/', 'https://localhost:443'), ('0.0.0.0', 'http://127.0.0.1:11434'),
    ('http://0.0.0.0:1234', 'http://127.0.0.1:1234'), ('[::]:1234', 'http://[::1]:1234'),
    ('::1', 'http://[::1]:11434'), ('::', 'http://[::1]:11434'),
    ('"127.0.0.1:1234"', 'http://127.0.0.1:1234'),
    ('localhost:1234/gateway', 'http://localhost:1234/gateway'),
])
def test_the_host_of_ollama_is_read_as_its_client_reads_it(host: str, url: str) -> None:
    environ = {'OLLAMA_HOST': host}
    assert with_environment(unset(), environ)['base_url'] == url
    assert with_environment({**unset(), 'base_url': 'http://localhost:1'}, environ)[
        'base_url'] == 'http://localhost:1'
    assert with_environment({**unset(), 'vlm_backend': 'openai'}, environ)['base_url'] == ''


@pytest.mark.parametrize(('host', 'url'), [
    ('', 'http://localhost:5'), ('127.0.0.1', 'http://127.0.0.1:5'), ('::1', 'http://[::1]:5'),
    ('http://localhost', 'http://localhost:5'), ('localhost:7', 'http://localhost:7')])
def test_the_port_of_ollama_may_have_a_variable_of_its_own(host: str, url: str) -> None:
    assert with_environment(unset(), {'OLLAMA_HOST': host, 'OLLAMA_PORT': '5'})['base_url'] == url


@pytest.mark.parametrize('host', [
    '192.168.1.5', '192.168.1.5:11434', 'example.com', 'https://ollama.com', '1234', ':0',
    ':99999', 'user:secret@127.0.0.1', 'ftp://localhost', 'localhost:1/?x', 'localhost:1#x',
    '127.0.0.1:port', '[::1', 'a b'])
def test_the_host_of_ollama_is_this_machine_too(host: str) -> None:
    with pytest.raises(ConfigError, match='environment OLLAMA_HOST'):
        with_environment(unset(), {'OLLAMA_HOST': host})


def test_another_host_of_ollama_can_be_allowed() -> None:
    values = {**unset(), 'allowed_hosts': '192.168.1.5'}
    found = with_environment(values, {'OLLAMA_HOST': '192.168.1.5'})
    assert found['base_url'] == 'http://192.168.1.5:11434'


def test_a_parameter_goes_before_the_environment() -> None:
    chosen = {'base_url': 'http://localhost:1', 'request_timeout_s': 5.0}
    values = with_environment({**unset(), **chosen}, ENVIRON)
    assert {name: values[name] for name in chosen} == chosen
    assert with_environment({**unset(), 'vlm_backend': 'mock'}, ENVIRON) == {
        **unset(), 'vlm_backend': 'mock'}


def test_what_is_said_for_another_backend_is_not_for_ollama() -> None:
    environ = {**ENVIRON, 'VLM_BACKEND': ''}
    assert build(HypothesisConfig, with_environment(unset(), environ)) == HypothesisConfig()


@pytest.mark.parametrize(('hosts', 'url'), [
    ('192.168.1.5', 'http://192.168.1.5:11434'), ('GPU-box.local , x', 'http://gpu-box.local:80'),
    ('fd00::1', 'http://[fd00::1]:80')])
def test_another_machine_can_be_allowed_by_name(hosts: str, url: str) -> None:
    assert HypothesisConfig(base_url=url, allowed_hosts=hosts).base_url == url
    with pytest.raises(ConfigError, match='allowed_hosts'):
        HypothesisConfig(base_url=url)
    with pytest.raises(ConfigError, match=r'example\.com is not this machine'):
        HypothesisConfig(base_url='http://example.com', allowed_hosts=hosts)


@pytest.mark.parametrize('hosts', ['*', '*.local', 'a b', 'http://x', 'x:80', '.', 'é'])
def test_allowed_hosts_are_plain_names(hosts: str) -> None:
    with pytest.raises(ConfigError, match='allowed_hosts'):
        HypothesisConfig(allowed_hosts=hosts)


@pytest.mark.parametrize('model', ['qwen3-vl:235b-cloud', 'gpt-oss:cloud', 'Hub/X:CLOUD'])
def test_a_model_in_the_cloud_is_refused_by_its_name(model: str) -> None:
    with pytest.raises(ConfigError, match='runs on ollama.com'):
        HypothesisConfig(model=model)
    assert HypothesisConfig(model=model, allowed_hosts='ollama.com').model == model
    assert HypothesisConfig(model=model, vlm_backend='openai').model == model


@pytest.mark.parametrize(('model', 'known', 'sees'), [
    ('qwen2.5vl:7b', None, True), ('hub/LLaVA-next', None, True), ('llama3:8b', None, None),
    ('my-eyes:1', 'other, My-Eyes', True), ('qwen2.5vl:7b', '', None),
    ('hub/robot_my.eyes', 'my-eyes', True), ('qwen3:8b', None, None), ('gemma:4b', None, None),
    *((name, None, True) for name in (
        'qwen3.5:9b', 'Qwen3.6-35B-A3B', 'gemma4:e4b', 'GLM-4.6V-Flash', 'kimi-vl-a3b',
        'llama4:scout', 'Molmo2-8B', 'ministral-3:8b', 'phi-4-multimodal-instruct',
        'moondream', 'mistral-small3.2:24b', 'unsloth_gemma-3-12b-it'))])
def test_a_name_can_tell_that_a_model_sees(model: str, known: str | None,
                                           sees: bool | None) -> None:
    more = {} if known is None else {'vision_models': known}
    assert HypothesisConfig(model=model, **more).sees_by_name is sees
