"""A benchmark's report: a page with the table and a map of each failure, and all runs as CSV."""

import csv
import io
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from html import escape
from itertools import groupby
from pathlib import Path

from PIL import Image

from semantic_nav.contracts.whole_file import write_whole
from semantic_nav.show.mission_pictures import PATH, ROBOT, TARGET
from semantic_nav.show.table import HEAD, Measure, cells_of
from semantic_nav_sim.bench.cases import Options
from semantic_nav_sim.bench.groups import names_of, under
from semantic_nav_sim.bench.runs import Run, describe
from semantic_nav_sim.show.bench_maps import data_url, maps_of

PAGE, RUNS = 'report.html', 'runs.csv'
#: Most failures with a map, so that the page of a long benchmark can still be sent.
MOST_MAPS = 60
_NO_COLUMNS = ('driven', 'stands', 'target', 'options', 'refusals', 'unvetted')
_STYLE = """
  :root { color-scheme: light dark; }
  body { font: 15px/1.5 sans-serif; max-width: 64em; margin: 2em auto; padding: 0 1em; }
  table { border-collapse: collapse; margin: 1em 0; }
  th, td { text-align: left; padding: .15em .9em .15em 0; border-bottom: 1px solid #8884; }
  td { font-variant-numeric: tabular-nums; }
  .no { color: #c33; font-weight: bold; }
  figure { margin: 1.5em 0; padding-top: .5em; border-top: 1px solid #8888; }
  img { max-width: 100%; background: #fff; }
  .key span { padding-left: 1em; }
"""


@dataclass(frozen=True)
class Remarks:
    """Remarks of a page besides table and failures, one line each.

    Attributes:
        about: command, version, machine and date.
        left_out: cases that could not be judged.
        crashed: cases that failed before their missions ended.
    """

    about: Sequence[str] = ()
    left_out: Sequence[str] = ()
    crashed: Sequence[str] = ()


def write_report(folder: Path, measures: Sequence[Measure], runs: Sequence[Run],
                 remarks: Remarks = Remarks()) -> None:
    """Write page and CSV into a folder, which is made.

    Args:
        folder: for both.
        measures: the table.
        runs: all runs; the failures among them get maps.
        remarks: further lines.

    Raises:
        ConfigError: a world does not exist any more.
        OSError: the files cannot be written.
    """
    page = page_of(measures, runs, remarks)
    folder.mkdir(parents=True, exist_ok=True)
    # The page first, since it names the command of both files.
    write_whole(folder / PAGE, page.encode())
    write_whole(folder / RUNS, csv_of(runs).encode())


def takes_report(folder: Path, command: str) -> bool:
    """Tell whether a folder has no report but those of this command."""
    page = folder / PAGE
    if not page.is_file():
        return not (folder / RUNS).exists()
    return f'<p>{escape(command)}</p>' in page.read_text(encoding='utf-8', errors='replace')


def csv_of(runs: Sequence[Run]) -> str:
    """A CSV line for each run, without the points of its way."""
    names = [one.name for one in fields(Run) if one.name not in _NO_COLUMNS]
    text = io.StringIO()
    table = csv.writer(text, lineterminator='\n')
    table.writerow([*names, *(one.name for one in fields(Options)), 'unvetted', 'refusals'])
    for run in runs:
        table.writerow([*(getattr(run, name) for name in names),
                        *asdict(run.options).values(), len(run.unvetted),
                        ' '.join(f'{code}:{count}' for code, count in run.refusals.items())])
    return text.getvalue()


def page_of(measures: Sequence[Measure], runs: Sequence[Run], remarks: Remarks = Remarks()) -> str:
    """The page, which loads no other files."""
    failed = [run for run in runs if not run.success]
    names = names_of(run.options for run in runs)
    title = ', '.join([
        f'{len(runs)} mission{"s" * (len(runs) != 1)}',
        f'{len(failed)} failure{"s" * (len(failed) != 1)}',
        *(f'{len(lines)} {word}' for word, lines in (
            ('crashed', remarks.crashed), ('left out', remarks.left_out)) if lines)])
    body = [f'<h1>{title}</h1>', *(f'<p>{escape(line)}</p>' for line in remarks.about),
            *(_table(name, list(block)) for name, block in groupby(
                measures, key=lambda one: one.group))]
    body += [_list(heading, lines) for heading, lines in (
        ('Left out', remarks.left_out), ('Crashed', remarks.crashed)) if lines]
    if failed:
        body += ['<h2>Failures</h2>', _key(len(failed)), *(
            _failure(run, names[run.options], picture)
            for run, picture in maps_of(failed[:MOST_MAPS]))]
    return '\n'.join([
        '<!DOCTYPE html>', '<html lang="en">', '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width">',
        f'<title>semantic_nav: {title}</title>', f'<style>{_STYLE}</style>', *body, '</html>', ''])


def _table(name: str, measures: Sequence[Measure]) -> str:
    rows = [''.join(f'<td>{escape(cell)}</td>' if cell != 'NO' else '<td class="no">NO</td>'
                    for cell in cells_of(one)) for one in measures]
    return '\n'.join([
        f'<h2>{escape(name)}</h2>' if name else '', '<table>',
        f'<tr>{"".join(f"<th>{escape(cell)}</th>" for cell in HEAD)}</tr>',
        *(f'<tr>{row}</tr>' for row in rows), '</table>'])


def _list(heading: str, lines: Sequence[str]) -> str:
    return f'<h2>{heading}</h2>\n<ul>{"".join(f"<li>{escape(one)}</li>" for one in lines)}</ul>'


def _key(failures: int) -> str:
    colours = ''.join(
        f'<span style="color: rgb{colour}; background: #fff">&nbsp;●&nbsp;</span> {what}'
        for what, colour in (('start and way', PATH), ('robot in the end', ROBOT),
                             ('target, where one is', TARGET)))
    more = (f' Maps are of the first {MOST_MAPS} of {failures}; {RUNS} has all runs.'
            if failures > MOST_MAPS else '')
    return f'<p class="key">{colours}.{more}</p>'


def _failure(run: Run, name: str, picture: Image.Image) -> str:
    return (f'<figure><figcaption>{escape(under(name, describe(run)))}</figcaption>\n'
            f'<img alt="the way in {escape(run.world)} from above" '
            f'width="{picture.width}" height="{picture.height}" '
            f'src="{data_url(picture)}"></figure>')
