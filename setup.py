"Packaging of benchlit: every value is read from settings.ini; edit that file, not this one."
import shlex
from configparser import ConfigParser
from pathlib import Path
from setuptools import find_packages, setup

here = Path(__file__).parent
ini = ConfigParser(delimiters=['='])
ini.read(here/'settings.ini', encoding='utf-8')
cfg = ini['DEFAULT']

setup(
    name=cfg['lib_name'], version=cfg['version'], description=cfg['description'],
    author=cfg['author'], author_email=cfg['author_email'], keywords=cfg['keywords'],
    license='Apache-2.0', url=cfg['git_url'],
    project_urls={'Documentation': cfg['doc_host'] + cfg['doc_baseurl'], 'Source': cfg['git_url']},
    long_description=(here/'README.md').read_text(encoding='utf-8'), long_description_content_type='text/markdown',
    packages=find_packages(include=[cfg['lib_path'], cfg['lib_path']+'.*']), include_package_data=True,
    python_requires='>=' + cfg['min_python'],
    install_requires=shlex.split(cfg.get('requirements', '')),
    extras_require={extra: shlex.split(cfg[f'{extra}_requirements']) for extra in ('embed', 'dev')},
    entry_points={'nbdev': [f"{cfg['lib_path']}={cfg['lib_path']}._modidx:d"],
                  'console_scripts': cfg.get('console_scripts', '').split()},
    zip_safe=False,
)
