"""The pages: links that lead somewhere, parameters that are there, a README that is short."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / 'README.md', *sorted((ROOT / 'docs').glob('*.md'))]
FILE: dict[str, Any] = yaml.safe_load((ROOT / 'config' / 'semantic_nav.yaml').read_text())


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as a forge makes them."""
    text = re.sub(r'^ *```.*?^ *```', '', page.read_text(), flags=re.DOTALL | re.MULTILINE)
    return {re.sub(r'[^\w\- ]', '', title).strip().lower().replace(' ', '-')
            for title in re.findall(r'^#+ (.*)$', text, flags=re.MULTILINE)}


@pytest.mark.parametrize('page', PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    for link in re.findall(r'\]\(([^)\s]+)\)', page.read_text()):
        if re.match(r'[a-z]+:', link):
            continue
        path, _, anchor = link.partition('#')
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def test_every_page_is_named_in_the_readme() -> None:
    readme = PAGES[0].read_text()
    assert [page.name for page in PAGES[1:] if f'(docs/{page.name})' not in readme] == []


def test_readme_is_short() -> None:
    assert len(PAGES[0].read_text().splitlines()) <= 200


def rows() -> list[tuple[str, list[str], list[str]]]:
    """Return of each row of the table of parameters: nodes, names, defaults."""
    text = (ROOT / 'docs' / 'parameters.md').read_text()
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
