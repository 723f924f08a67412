"The built site, as a reader meets it: links that lead somewhere, and pages that work in a browser. `make docs` builds it."
import functools, shutil, threading
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urldefrag, urljoin, urlparse
import pytest

SITE_FLAGS = ('--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking '
              '--disable-component-update --disable-sync --disable-dev-shm-usage --window-size=1400,1000').split()

class Page(HTMLParser):
    "The links, sources and ids of one HTML page, and its text outside code and scripts"
    def __init__(self, text): super().__init__(); self.links, self.ids, self.text, self.code = [], set(), '', 0; self.feed(text)
    def handle_endtag(self, tag): self.code -= tag in ('code', 'script', 'style')
    def handle_data(self, data): self.text += '' if self.code else data
    def handle_starttag(self, tag, attrs):
        a = dict(attrs)
        self.code += tag in ('code', 'script', 'style')
        self.ids |= {a[k] for k in ('id', 'name') if a.get(k)}
        self.links += [a[k] for k in ('href', 'src') if a.get(k)]

@pytest.fixture(scope='module')
def site(root):
    if not (root/'_site/index.html').exists(): pytest.skip('the site is not built: run `make docs` first')
    return root/'_site'

@pytest.fixture(scope='module')
def url(site):
    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *a): pass
    server = ThreadingHTTPServer(('127.0.0.1', 0), functools.partial(Quiet, directory=str(site)))
    thread = threading.Thread(target=server.serve_forever, daemon=True); thread.start()
    yield f'http://127.0.0.1:{server.server_port}/'
    server.shutdown(); server.server_close(); thread.join()

@pytest.fixture(scope='module')
def browser(tmp_path_factory):
    webdriver = pytest.importorskip('selenium.webdriver', reason='selenium is not installed')
    binary = next(filter(None, map(shutil.which, ('chromium', 'chromium-browser', 'google-chrome', 'chrome'))), None)
    driver = shutil.which('chromedriver')
    if not (binary and driver): pytest.skip('no Chromium and chromedriver here (Debian: apt-get install chromium chromium-driver)')
    opts = webdriver.ChromeOptions()
    opts.binary_location = binary
    for f in SITE_FLAGS + [f'--user-data-dir={tmp_path_factory.mktemp("chromium")}']: opts.add_argument(f)
    opts.set_capability('goog:loggingPrefs', {'browser': 'ALL'})
    b = webdriver.Chrome(options=opts, service=webdriver.ChromeService(executable_path=driver))
    b.set_page_load_timeout(60)
    yield b
    b.quit()

def test_internal_links_resolve(site):
    pages = {p.relative_to(site).as_posix(): Page(p.read_text(encoding='utf-8')) for p in site.rglob('*.html')}
    broken = []
    for name, page in pages.items():
        for link in page.links:
            u = urlparse(link)
            if u.scheme or u.netloc: continue
            target, frag = urldefrag(urljoin('/'+name, link))
            path = unquote(target).lstrip('/')
            if path == '' or path.endswith('/'): path += 'index.html'
            if not (site/path).is_file(): broken.append(f'{name}: {link} leads nowhere')
            elif frag and path in pages and frag[0] != '_' and unquote(frag).split('.')[0] not in {i.split('.')[0] for i in pages[path].ids}:
                # nbdev also links methods and private names; pages document the class, or nothing
                broken.append(f'{name}: {link} has no such place')
    assert len(pages) > 1 and not broken, '\n'.join(sorted(set(broken)))

def test_nothing_unresolved_is_left_in_the_text(site):
    for p in site.rglob('*.html'):
        text = Page(p.read_text(encoding='utf-8')).text
        for mark in ('@eq-', '@fig-', '@tbl-', '{#eq-', '[@', ':::', '$$'): assert mark not in text, f'{p.name}: {mark}'

def wait(browser, condition, seconds=20):
    from selenium.webdriver.support.ui import WebDriverWait
    return WebDriverWait(browser, seconds).until(lambda b: b.execute_script(f'return {condition}'))

def errors(browser): return [e['message'] for e in browser.get_log('browser') if e['level'] == 'SEVERE' and 'favicon.ico' not in e['message']]

def check_page(browser, site, url, name):
    "Open a page: no console errors, no raw TeX, equations typeset, figures drawn. Gives (equations, figures)"
    browser.get_log('browser'); browser.get(url + name)
    wait(browser, 'document.readyState == "complete"')
    text = (site/name).read_text(encoding='utf-8')
    vendored = (site/'site_libs/katex').is_dir()
    if 'class="math' in text and vendored: wait(browser, 'document.querySelectorAll(".katex").length > 0')
    if vendored: assert not errors(browser)
    visible = browser.execute_script("return document.querySelector('main').innerText")
    assert '$$' not in visible
    maths = browser.execute_script("return [...document.querySelectorAll('.math')].map(m => [m.querySelector('.katex') !== null, m.querySelector('.katex-error') !== null, m.textContent])")
    if vendored:
        assert not [t for done, bad, t in maths if bad or not done], 'equations that KaTeX cannot typeset'
    figures = browser.execute_script("return [...document.querySelectorAll('main img')].map(i => [i.complete && i.naturalWidth > 0, i.getBoundingClientRect().width > 50])")
    assert all(drawn and wide for drawn, wide in figures)
    return len(maths), len(figures)

def method_pages(site):
    return [n for n in ('facility.html',) if (site/n).exists()]

def test_home_page(browser, site, url):
    check_page(browser, site, url, 'index.html')
    side = browser.execute_script("return [...document.querySelectorAll('#quarto-sidebar .menu-text')].map(e => e.textContent)")
    assert any('Ground' in s for s in side) and browser.execute_script("return document.querySelector('main table') !== null")

def test_every_page_opens_without_errors(browser, site, url):
    for p in sorted(site.rglob('*.html')): check_page(browser, site, url, p.relative_to(site).as_posix())

def test_method_page(browser, site, url):
    if not method_pages(site): pytest.skip('there is no 20_facility yet')
    equations, figures = check_page(browser, site, url, 'facility.html')
    assert figures > 0 and (equations > 0 or not (site/'site_libs/katex').is_dir())
    assert browser.execute_script("return document.querySelectorAll('.csl-entry').length") > 0
    folded = browser.execute_script("return document.querySelector('.callout-header.collapsed + .callout-collapse').offsetHeight")
    assert folded == 0
    browser.execute_script("document.querySelector('.callout-header.collapsed').click()")
    wait(browser, "document.querySelector('.callout-header + .callout-collapse.show') !== null && document.querySelector('.callout-collapse.show').offsetHeight > 10")

def test_search_finds_facility(browser, site, url):
    browser.get(url + 'index.html'); wait(browser, 'document.readyState == "complete"')
    box = browser.find_element('css selector', '#quarto-search input'); box.send_keys('facility')
    wait(browser, "document.querySelectorAll('.smalldocs-search-results a').length > 0")
    hits = browser.execute_script("return [...document.querySelectorAll('.smalldocs-search-results a')].map(a => a.textContent.toLowerCase())")
    assert any('facility' in h for h in hits), hits

def test_links_between_pages_are_followed(browser, site, url):
    browser.get(url + 'index.html'); wait(browser, 'document.readyState == "complete"')
    link = browser.find_element('css selector', '#quarto-sidebar a[href="core.html"]'); link.click()
    wait(browser, 'location.pathname.endsWith("core.html") && document.readyState == "complete"')
    assert browser.find_element('css selector', 'h1.title').text
