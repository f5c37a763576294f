"""Compares SDF documents with the descriptions of the format that sdformat installs."""

import os
from pathlib import Path
from xml.etree import ElementTree

Element = ElementTree.Element
#: Read by gz-sensors from a sensor's element, and not described.
UNDESCRIBED = {('sensor', 'gz_frame_id')}


def descriptions(version: str) -> Path | None:
    """Return the folder of the descriptions of a version, where sdformat is installed.

    SEMANTIC_NAV_TEST_SDFORMAT may name it: the folder `sdf` of sdformat's repository will do.
    """
    named = os.environ.get('SEMANTIC_NAV_TEST_SDFORMAT')
    roots = [Path(named)] if named else [
        path for base in ('/usr/share', '/opt/ros/jazzy/opt/sdformat_vendor/share')
        for path in sorted(Path(base).glob('sdformat[0-9]*'))]
    return next((root / version for root in roots if (root / version / 'root.sdf').is_file()),
                None)


def problems(document: Element, folder: Path) -> list[str]:
    """Return what in a document is not as described: unknown, missing or too many."""
    return _problems(document, ElementTree.parse(folder / 'root.sdf').getroot(), folder, 'sdf')


def _problems(found: Element, described: Element, folder: Path, where: str) -> list[str]:
    attributes = {one.get('name', ''): one for one in described.findall('attribute')}
    said = [f'{where}: attribute {name}' for name in found.attrib if name not in attributes]
    said += [f'{where}: no attribute {name}' for name, one in attributes.items()
             if one.get('required') == '1' and name not in found.attrib]
    if any(one.get('copy_data') == 'true' for one in described.findall('element')):
        return said
    children: dict[str, tuple[Element, str]] = {}
    for one in described.findall('element'):
        children[one.get('name', '')] = one, one.get('required', '0')
    for one in described.findall('include'):
        root = ElementTree.parse(folder / one.get('filename', '')).getroot()
        children[root.get('name', '')] = root, one.get('required', '0')
    tags = [child.tag for child in found]
    for tag, (_, required) in children.items():
        if required in ('1', '+') and tag not in tags:
            said.append(f'{where}: no element {tag}')
        if required in ('0', '1') and tags.count(tag) > 1:
            said.append(f'{where}: {tags.count(tag)} elements {tag}')
    for child in found:
        inside = f'{where}/{child.tag}'
        if (found.tag, child.tag) in UNDESCRIBED:
            continue
        if child.tag in children:
            said += _problems(child, children[child.tag][0], folder, inside)
        else:
            said.append(f'{inside}: not described')
    return said
