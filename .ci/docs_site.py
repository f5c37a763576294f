"""A hook of mkdocs: README and changes as pages of the site, and its references from the code."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
#: Pages of the simulator's package, which lie beside those of docs/ on the site.
SIMULATOR = sorted((ROOT / 'semantic_nav_sim' / 'docs').glob('*.md'))
#: Pages of the site that are no files of docs/, and what they are made of.
PARAMETERS, DOCUMENTS = 'reference_parameters.md', 'reference_documents.md'
_CONFIG, _SCHEMA = 'config/semantic_nav.yaml', 'schema'
#: Where links of the pages that lead out of docs/ lead on the site.
_ELSEWHERE = {'README.md': 'index.md', 'CHANGELOG.md': 'changes.md', _CONFIG: PARAMETERS,
              _SCHEMA: DOCUMENTS}
COPIED = (
    'LICENSE', 'Dockerfile', 'config/zones.yaml', 'config/diagnostics.yaml',
    'config/nav2_params.yaml', 'config/cyclonedds_pictures.xml',
    'config/systemd/semantic_nav.service',
    'interfaces/semantic_nav_msgs/action/Find.action', 'examples/find_and_come_back.py',
    'examples/round_with_report.py', 'examples/behaviour_tree.py', 'examples/find_in_words.xml')


def on_files(files: Any, config: Any) -> Any:
    """Add what is not in docs/."""
    from mkdocs.structure.files import File

    pages = {'index.md': read('README.md'), 'changes.md': read('CHANGELOG.md'),
             PARAMETERS: parameters(read(_CONFIG)),
             DOCUMENTS: documents({path.name: json.loads(path.read_text(encoding='utf-8'))
                                   for path in sorted((ROOT / _SCHEMA).glob('*.json'))}),
             **{page.name: page.read_text(encoding='utf-8') for page in SIMULATOR},
             **{name: read(name) for name in COPIED}}
    for name, content in pages.items():
        files.append(File.generated(config, name, content=content))
    return files


def on_page_markdown(markdown: str, **_: object) -> str:
    """Let the links of a page lead to where things are on the site; folders are not there."""
    def there(link: re.Match[str]) -> str:
        words, to = link.groups()
        bases = ('docs', '', 'semantic_nav_sim/docs')
        is_folder = any((ROOT / base / to).is_dir() for base in bases)
        page = site_link(to)
        return words if is_folder and page not in _ELSEWHERE.values() else f'[{words}]({page})'

    return re.sub(r'\[([^][]*)\]\(([^)\s]+)\)', there, markdown)


def site_link(link: str) -> str:
    """Return where a link leads on the site, on which README and all pages lie together."""
    path, mark, anchor = link.partition('#')
    path = re.sub(r'^(\.\./)*((semantic_nav_sim/)?docs/)?', '', path)
    return f'{_ELSEWHERE.get(path, path)}{mark}{anchor}'


def read(name: str) -> str:
    """Return a file of the checkout."""
    return (ROOT / name).read_text(encoding='utf-8')


def parameters(text: str) -> str:
    """Return the page of all parameters: a table for each node, from the file of the defaults."""
    return '\n'.join(('# All parameters', '', 'From `config/semantic_nav.yaml`, which a test '
                      'holds against the code.', *_tables(text), ''))


def _tables(text: str) -> Iterator[str]:
    comment: list[str] = []
    for line in text.splitlines():
        words = line.strip()
        if words.startswith('#'):
            comment.append(words.lstrip('# '))
            continue
        name, _, value = words.partition(':')
        if not line.startswith(' ') and words.startswith('/**/'):
            yield from ('', f'## {words.rstrip(":")[4:]}', '', ' '.join(comment), '',
                        '| parameter | default | |', '|---|---|---|')
        elif name and name != 'ros__parameters':
            told = ' '.join(one for one in comment if not one.startswith('---'))
            yield f'| `{name}` | `{value.strip()}` | {told.replace("|", "/")} |'
        comment = []


def documents(schemas: dict[str, dict[str, Any]]) -> str:
    """Return the page of all documents and files: their fields, from the schemas."""
    lines = ['# Documents and files', '', 'From the schemas in `schema/`. Those of documents are '
             'written from the code; on a topic each stands in the `body` of the envelope.']
    for name, schema in schemas.items():
        lines += ['', f'## {name.removesuffix(".schema.json")}', '', schema.get('title', '')]
        parts = {'': schema, **schema.get('$defs', {})}
        for part, one in parts.items():
            lines += _fields(part, one)
    return '\n'.join((*lines, ''))


def _fields(name: str, schema: dict[str, Any]) -> Iterator[str]:
    title = f'**{name}**' if name else ''
    if 'enum' in schema:
        yield from ('', f'{title}: {", ".join(f"`{one}`" for one in schema["enum"])}')
    if not schema.get('properties'):
        return
    needed = schema.get('required', ())
    yield from ('', title, '', '| field | type | |', '|---|---|---|')
    for field, one in schema['properties'].items():
        told = one.get('description', '') if isinstance(one, dict) else ''
        optional = '' if field in needed else 'may be missing'
        words = '; '.join(part for part in (told, optional) if part).replace('|', '/')
        yield f'| `{field}` | {_kind(one)} | {words} |'


def _kind(schema: Any) -> str:
    """Return what a field may hold, in a word or some."""
    if not isinstance(schema, dict):
        return 'anything'
    if '$ref' in schema:
        return str(schema['$ref']).rpartition('/')[2].removesuffix('.schema.json')
    for key in ('anyOf', 'oneOf'):
        if key in schema:
            return ' or '.join(_kind(one) for one in schema[key])
    if 'const' in schema or 'enum' in schema:
        return ', '.join(f'`{json.dumps(one)}`' for one in schema.get('enum') or [schema['const']])
    kind = schema.get('type', 'anything')
    kinds = ' or '.join(kind) if isinstance(kind, list) else str(kind)
    if kinds == 'array' and 'items' in schema:
        return f'list of {_kind(schema["items"])}'
    low, high = schema.get('minimum'), schema.get('maximum')
    span = '' if low is None and high is None else (
        f', from {low}' if high is None else f', up to {high}' if low is None else
        f', {low} to {high}')
    return f'{kinds}{span}'
