"""The pages: links that lead somewhere, parameters that are there, pages that stay short."""

import ast
import importlib.util
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
README = ROOT / 'README.md'
DOCS = sorted([*(ROOT / 'docs').glob('*.md'), *(ROOT / 'semantic_nav_sim' / 'docs').glob('*.md')])
#: All Markdown of the checkout, but for what builds and runs leave there.
PAGES = sorted(path for path in ROOT.rglob('*.md') if not {
    part for part in path.relative_to(ROOT).parts[:-1]
    if part.startswith('.') or part in ('build', 'install', 'log', 'out')})
FILE: dict[str, Any] = yaml.safe_load((ROOT / 'config' / 'semantic_nav.yaml').read_text())


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as a forge makes them."""
    text = re.sub(r'^ *```.*?^ *```', '', page.read_text(), flags=re.DOTALL | re.MULTILINE)
    return {re.sub(r'[^\w\- ]', '', title).strip().lower().replace(' ', '-')
            for title in re.findall(r'^#+ (.*)$', text, flags=re.MULTILINE)}


@pytest.mark.parametrize('page', PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    for link in re.findall(r'\]\(([^)\s]+)\)', page.read_text()):
        if re.match(r'[a-z]+:', link):
            continue
        path, _, anchor = link.partition('#')
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def test_every_page_is_named_in_the_readme() -> None:
    readme = README.read_text()
    assert len(DOCS) > 12
    assert [page.name for page in DOCS if f'({page.relative_to(ROOT)})' not in readme] == []


def test_overviews_are_short() -> None:
    assert len(README.read_text().splitlines()) <= 150
    assert len((ROOT / 'CHANGELOG.md').read_text().splitlines()) <= 80
    assert (ROOT / 'docs' / 'architecture.md').stat().st_size <= 12_000


def section(page: str, heading: str) -> str:
    """Return what a page has under a heading of the second level."""
    _, found, rest = (ROOT / 'docs' / page).read_text().partition(f'\n## {heading}\n')
    assert found, (page, heading)
    return rest.partition('\n## ')[0]


def rows() -> list[tuple[str, list[str], list[str]]]:
    """Return of each row of the table of parameters: nodes, names, defaults."""
    text = section('interfaces.md', 'Parameters')
    cells = [[cell.strip() for cell in line.strip('|').split(' | ')]
             for line in text.splitlines() if re.match(r'\| (\w|, )+ \| `', line)]
    return [(row[0].strip(), re.findall(r'`([^`]+)`', row[1]),
             [one.strip('`') for one in row[2].split(', ')]) for row in cells]


def test_table_of_parameters_is_that_of_the_file() -> None:
    found = rows()
    assert len(found) > 20
    for nodes, names, defaults in found:
        for node in (('hypothesis', 'memory', 'belief', 'verifier') if nodes == 'all'
                     else nodes.split(', ')):
            values = FILE[f'/**/{node}']['ros__parameters']
            assert set(names) <= set(values), (node, names)
            if len(defaults) != len(names):
                continue
            for name, default in zip(names, defaults, strict=True):
                value = values[name]
                if isinstance(value, bool) or not isinstance(value, int | float):
                    told = str(value).lower() if isinstance(value, bool) else value
                    # Of an empty text the page may say what it stands for.
                    assert default == told or not value, (name, default, value)
                else:
                    assert float(default) == value, (name, default, value)


def test_table_of_tuning_names_parameters_of_the_nodes() -> None:
    count = 0
    for line in section('troubleshooting.md', 'Tuning').splitlines():
        cells = [cell.strip() for cell in line.strip('|').split(' | ')]
        for names, nodes in zip(cells, cells[1:], strict=False):
            if re.fullmatch(r'`[a-z_`, ]+`', names) and re.fullmatch(r'[a-z, ]+', nodes):
                known = [set(FILE[f'/**/{node}']['ros__parameters']) for node in (
                    ('hypothesis', 'memory', 'belief', 'verifier') if nodes == 'all'
                    else nodes.split(', '))]
                for name in re.findall(r'`([^`]+)`', names):
                    assert any(name in one for one in known), (name, nodes)
                    count += 1
    assert count > 30


def told() -> Iterator[str]:
    """Yield every text of the code, with an ellipsis for what is put in."""
    for path in [*(ROOT / 'semantic_nav').rglob('*.py'),
                 *(ROOT / 'semantic_nav_sim').rglob('*.py')]:
        for node in ast.walk(ast.parse(path.read_text(encoding='utf-8'))):
            if isinstance(node, ast.JoinedStr):
                yield ''.join(str(one.value) if isinstance(one, ast.Constant) else '…'
                              for one in node.values)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value


def test_symptoms_of_troubleshooting_are_what_the_code_says() -> None:
    texts = '\n'.join(told())
    page = (ROOT / 'docs' / 'troubleshooting.md').read_text().partition('\n## Tuning\n')[0]
    rows = re.findall(r'^\| ((?!you read|---).*?) \|', page, flags=re.MULTILINE)
    quotes = [quote for row in rows for quote in re.findall(r'`([^`]+)`', row)]
    assert len(quotes) > 50
    unsaid = [quote for quote in quotes if quote not in texts]
    # "with ..." may stand where the code puts a value in, or goes on.
    assert [quote for quote in unsaid if quote.rstrip(' …') not in texts] == []


def docs_site() -> Any:
    spec = importlib.util.spec_from_file_location('docs_site', ROOT / '.ci' / 'docs_site.py')
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_site_has_every_page_and_all_parameters_and_documents() -> None:
    text = (ROOT / 'mkdocs.yml').read_text()
    site = docs_site()
    for page in DOCS:
        assert f': {page.name}\n' in text, page.name
    tables = site.parameters((ROOT / 'config' / 'semantic_nav.yaml').read_text())
    found = re.findall(r'^\| `(\w+)` \| `.*` \| \w', tables, flags=re.MULTILINE)
    names = [name for part in FILE.values() for name in part['ros__parameters']]
    assert found == names
    assert re.findall(r'^## (\w+)$', tables, flags=re.MULTILINE) == [
        name.rpartition('/')[2] for name in FILE]
    schemas = {path.name: json.loads(path.read_text()) for path in (ROOT / 'schema').iterdir()}
    documents = site.documents(schemas)
    for name, schema in schemas.items():
        assert f'## {name.removesuffix(".schema.json")}\n' in documents
        assert all(f'| `{field}` | ' in documents for field in schema.get('properties', ()))


@pytest.mark.parametrize(('link', 'there'), [
    ('docs/models.md#servers', 'models.md#servers'), ('../README.md#tests', 'index.md#tests'),
    ('../../docs/search.md', 'search.md'), ('../../config/zones.yaml', 'config/zones.yaml'),
    ('../semantic_nav_sim/docs/benchmark.md', 'benchmark.md'), ('../../docs/images/map.png',
                                                                'images/map.png'),
    ('../config/semantic_nav.yaml', 'reference_parameters.md'), ('CHANGELOG.md', 'changes.md'),
    ('images/map.png', 'images/map.png'), ('https://foxglove.dev', 'https://foxglove.dev')])
def test_links_of_the_site_lead_to_its_pages(link: str, there: str) -> None:
    assert docs_site().site_link(link) == there


def test_files_that_pages_link_to_are_on_the_site() -> None:
    site, missing = docs_site(), set()
    pages = {'index.md', 'changes.md', site.PARAMETERS, site.DOCUMENTS, *site.COPIED,
             *(page.name for page in site.SIMULATOR)}
    for page in (ROOT / 'README.md', ROOT / 'CHANGELOG.md', *DOCS):
        for link in re.findall(r'\]\(([^)\s#]+)', page.read_text()):
            there = site.site_link(link)
            if '://' not in link and there not in pages and (
                    (page.parent / link).is_file() and not (ROOT / 'docs' / there).exists()):
                missing.add(there)
    # Of no type, and of a folder, a link leads nowhere on the site, and the builder says so.
    assert missing <= {'Dockerfile'}
