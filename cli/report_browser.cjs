// Looks at a page of `railgauge report` or `fleet report` in headless Chromium, as a reader would:
//
//   node report_browser.cjs NODE_MODULES PAGE PROBE [ARGUMENT…]
//
// PROBE is the name of a function below or in fleet_browser.cjs; it throws what is wrong. What it prints is for the test.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { pathToFileURL } = require('node:url');

const [nodeModules, file, probe, ...args] = process.argv.slice(2);
const { chromium } = require(path.resolve(nodeModules, 'playwright-core'));

const text = async (locator) => (await locator.innerText()).replace(/\s+/g, ' ');
const visible = (locator) => locator.first().isVisible();
const heat = (page) => page.locator('#heat table[role=grid]');

// Of every element that shows text, the lowest contrast to what is behind it.
function lowestContrast(selector) {
  const parse = (color) => {
    const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const luminance = (rgb) => {
    const [r, g, b] = rgb.map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = parse(getComputedStyle(at).backgroundColor);
      if (color[3] === 255) return color;
    }
    return [255, 255, 255, 255];
  };
  let lowest = { ratio: 21, what: '' };
  const seen = new Map();
  for (const element of document.querySelectorAll(selector)) {
    const key = `${element.className} ${element.closest('[class*=shade-]')?.className ?? ''}`;
    if (seen.has(key)) continue;
    seen.set(key, true);
    const [light, dark] = [
      luminance(parse(getComputedStyle(element).color).slice(0, 3)),
      luminance(behind(element).slice(0, 3)),
    ].sort((a, b) => b - a);
    const ratio = (light + 0.05) / (dark + 0.05);
    if (ratio < lowest.ratio) lowest = { ratio, what: `${element.tagName} ${element.className}` };
  }
  return lowest;
}

// The page passes every rule of axe's, once it is loaded into it.
async function assertNoViolation(page, what) {
  const { violations } = await page.evaluate(() =>
    globalThis.axe.run(document, {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    }),
  );
  const found = violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}: ${nodes
        .slice(0, 3)
        .map((node) => node.html.slice(0, 200))
        .join(' | ')}`,
  );
  assert.deepEqual(found, [], what);
}

async function toPaper(page) {
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
}

// What a click leads to is below what stays at the top of the screen, and on it.
async function assertInSight(page) {
  const [bar, height, title, next] = await page.evaluate(() => {
    const stays = document.querySelector('.looking');
    const panel = document.querySelector('#cell');
    return [
      getComputedStyle(stays).position === 'sticky' ? Math.max(0, stays.getBoundingClientRect().bottom) : 0,
      window.innerHeight,
      panel.querySelector('#cell-title').getBoundingClientRect().top,
      panel.querySelector('p').getBoundingClientRect().bottom,
    ];
  });
  assert.ok(title >= bar && next <= height, `from ${title} to ${next}, below ${bar} and on ${height}`);
}

// No selectors, light colours, and a PDF.
async function assertPrints(page, to) {
  assert.ok(!(await visible(page.locator('.controls'))));
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(255, 255, 255)');
  const pdf = await page.pdf({ path: to, format: 'A4', printBackground: true });
  assert.equal(pdf.subarray(0, 5).toString(), '%PDF-');
}

const probes = {
  // Everything is there, and named for what it is.
  async loads(page, title) {
    assert.match(await page.title(), new RegExp(title));
    for (const id of ['found', 'topology', 'map', 'files', 'machine']) {
      assert.ok(await visible(page.locator(`#${id} h2`)), `section ${id}`);
    }
    console.log(await text(page.locator('body')));
  },

  // The tooltip of a cell, by pointer and by focus.
  async tooltip(page, key, ...windows) {
    const box = heat(page).locator(`[data-cell="${key}"]`);
    await box.hover();
    const tooltip = page.locator('#cell-tooltip');
    assert.ok(await tooltip.isVisible());
    const shown = await text(tooltip);
    for (const window of windows) assert.ok(shown.includes(window), `${window} in: ${shown}`);
    assert.equal(await box.getAttribute('aria-describedby'), 'cell-tooltip');
    await page.keyboard.press('Escape');
    assert.ok(!(await tooltip.isVisible()), 'Escape hides it');
    await page.mouse.move(0, 0);
    await box.focus();
    assert.equal(await text(tooltip), shown);
  },

  async sort(page) {
    await page.locator('#file-summary > summary').click();
    const column = page.locator('#file-summary th', { hasText: 'throughput median' });
    const index = await column.evaluate((head) => [...head.parentElement.children].indexOf(head) + 1);
    const first = page.locator(`#file-summary tbody tr:first-child td:nth-child(${index})`);
    await column.locator('button').click();
    assert.equal(await column.getAttribute('aria-sort'), 'ascending');
    const lowest = Number(await text(first));
    await column.locator('button').click();
    assert.equal(await column.getAttribute('aria-sort'), 'descending');
    const highest = Number(await text(first));
    assert.ok(lowest > 0 && highest > lowest * 2, `${lowest} … ${highest}`);
  },

  async filter(page, words, count) {
    await page.locator('#file-summary > summary').click();
    await page.locator('#file-summary input[type=search]').fill(words);
    assert.equal(await text(page.locator('#file-summary .count')), count);
    for (const row of await page.locator('#file-summary tbody tr').all()) {
      const shown = (await text(row)).toLowerCase();
      for (const word of words.split(' ')) assert.ok(shown.includes(word), `${word} in ${shown}`);
    }
  },

  // Tab to the map, arrows in it, Enter to the details, and back.
  async keyboard(page) {
    const cells = heat(page).locator('[data-cell]');
    assert.equal(await heat(page).locator('[data-cell][tabindex="0"]').count(), 1);
    for (let tabs = 0; tabs < 400; tabs += 1) {
      await page.keyboard.press('Tab');
      if (await page.evaluate(() => document.activeElement?.matches('#heat [data-cell]'))) break;
    }
    const focused = () => page.evaluate(() => document.activeElement?.dataset.cell);
    assert.equal(await focused(), await cells.first().getAttribute('data-cell'));
    const columns = await heat(page).locator('tbody tr:not(.group)').first().locator('td').count();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowRight');
    const expected = await cells.nth(columns + 1).getAttribute('data-cell');
    assert.equal(await focused(), expected);
    await page.keyboard.press('Control+End');
    assert.equal(await focused(), await cells.last().getAttribute('data-cell'));
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'cell-title');
    assert.equal(await heat(page).locator('[aria-selected=true]').getAttribute('data-cell'), expected);
    assert.ok((await page.locator('#cell figure svg circle, #cell figure svg path').count()) > 3);
  },

  // From the top of the page to the windows of the bad NIC: one click, on a screen of any size.
  async evidence(page, nic) {
    for (const [width, height] of [
      [1900, 1000],
      [1110, 720],
      [800, 1000],
      [400, 800],
      [1400, 900],
    ]) {
      await page.setViewportSize({ width, height });
      await page.evaluate(() => window.scrollTo(0, 0));
      await page.locator('#found .decision', { hasText: nic }).locator('button.evidence').first().click();
      await assertInSight(page);
    }
    const panel = page.locator('#cell');
    assert.ok((await text(panel)).includes(nic), await text(panel));
    assert.ok(await visible(panel.locator('figure svg')), 'its windows are drawn');
    assert.ok((await panel.locator('table tbody tr').count()) > 3, 'its windows are listed');
    console.log(await text(panel.locator('code')));
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'cell-title');
  },

  // The legend says what 100 % is, and the shade of a cell is the same in map and drawing.
  async scale(page, full, nic, nearest, place, shade) {
    const legend = await text(page.locator('.legend').first());
    assert.ok(legend.includes(`100 % is ${full}:`), legend);
    const cell = heat(page).locator(`[data-cell="read/to_memory/1048576/32/alone ${nic} ${place}"]`);
    assert.match(await cell.getAttribute('class'), new RegExp(`shade-${shade}\\b`));
    assert.match(
      await page.locator(`.topology [data-device="${nic}"]`).getAttribute('class'),
      new RegExp(`shade-${nearest}\\b`),
    );
    await page.locator(`.topology [data-device="${place}"]`).click();
    const device = page.locator(`.topology [data-device="${nic}"]`);
    assert.match(await device.getAttribute('class'), new RegExp(`shade-${shade}\\b`));
  },

  // What a partner makes slow is marked as that, and the cause comes first; where neither NIC is told
  // apart, both are named.
  async partners(page, cause, victim, first, second) {
    const items = await page.locator('#found h3:has-text("One NIC stands out") + ul > li').all();
    const said = await Promise.all(items.map(text));
    assert.equal(said.length, 3, said.join('; '));
    assert.match(said[0], new RegExp(`^▼ slow itself ${cause}.*makes its loopback partner ${victim} .*slow with it`));
    assert.match(said[1], new RegExp(`^⇄ partner slow ${victim}.*its partner ${cause} .*is to blame`));
    assert.match(said[2], new RegExp(`^⇄ one of two ${first}.* or ${second}.*either may be slow.*--peer`));
    const device = (name) => page.locator('.device-nic', { hasText: name });
    assert.match(await device(cause).getAttribute('class'), /\bbad\b/);
    assert.match(await text(device(cause)), /▼/);
    assert.doesNotMatch(await device(victim).getAttribute('class'), /\bbad\b/);
    const row = (name) => heat(page).locator('tr', { has: page.locator('th', { hasText: name }) });
    assert.match(await text(row(cause).locator('th')), /▼ slow itself/);
    assert.equal(await row(victim).locator('th .bad-mark').count(), 0);
    for (const [name, mark] of [
      [victim, 'its partner is slow'],
      [second, 'it or its partner is slow'],
    ]) {
      const box = row(name).locator('td', { hasText: '⇄' });
      assert.equal(await box.count(), 1);
      assert.match(await text(box), new RegExp(mark));
    }
    assert.match(await text(page.locator('.legend').first()), /⇄ its partner is slow, or one of the two/);
  },

  // A cell without an undisturbed window is marked wherever it shows, and one with some tells how many.
  async disturbed(page, nic, all, some, words) {
    const key = (place) => `read/to_memory/1048576/32/alone ${nic} ${place}`;
    const box = (place) => heat(page).locator(`[data-cell="${key(place)}"]`);
    assert.equal(await text(box(all).locator('.bad-mark')), '~');
    assert.match(await text(box(all)), /disturbed in every window/);
    assert.equal(await box(some).locator('.bad-mark').count(), 0);
    assert.match(await text(page.locator('.legend').first()), /~ disturbed: the measuring thread was kept/);
    for (const [place, count] of [
      [all, 'every window'],
      [some, words],
    ]) {
      await box(place).hover();
      const shown = await text(page.locator('#cell-tooltip'));
      assert.match(shown, new RegExp(`~ the measuring thread was kept from its CPU in ${count}`));
      assert.match(shown, /windows: [0-9.]+~/);
    }
    await box(some).click();
    assert.match(await text(page.locator('#cell table tbody tr').first()), /ok, ~ disturbed/);
    for (const [file, count] of [
      ['summary', 1],
      ['samples', 12],
    ]) {
      await page.locator(`#file-${file} > summary`).click();
      await page.locator(`#file-${file} input[type=search]`).fill(`${nic} ${all} read to_memory ~`);
      const rows = page.locator(`#file-${file} tbody tr`);
      assert.equal(await rows.count(), count);
      for (const row of await rows.all()) assert.match(await text(row), /[0-9] ~/);
    }
  },

  // A device of the drawing shows its paths.
  async topology(page, device) {
    await page.locator(`.topology [data-device="${device}"]`).click();
    const pressed = page.locator('.topology [aria-pressed=true]');
    assert.equal(await pressed.getAttribute('data-device'), device);
    const figures = await page.locator('.topology .device-nic .figure, .topology .device-memory .figure').count();
    assert.ok(figures > 0);
  },

  // What the selectors choose is what the map shows.
  async views(page) {
    const views = page.getByLabel('Operation and direction');
    const captions = new Set();
    for (const view of await views.locator('option').allInnerTexts()) {
      await views.selectOption({ label: view });
      const caption = await text(heat(page).locator('caption'));
      assert.ok(caption.includes(view), caption);
      captions.add(caption);
    }
    assert.equal(captions.size, 4);
    await page.getByLabel('Shown').selectOption('class');
    assert.ok((await heat(page).locator('.shade-class-1').count()) > 0, 'the slow NIC stands out of its class');
  },

  async themes(page) {
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await background();
    await page.emulateMedia({ colorScheme: 'dark' });
    const dark = await background();
    assert.notEqual(dark, light);
    const button = page.getByRole('button', { name: 'Dark' });
    assert.equal(await button.getAttribute('aria-pressed'), 'true');
    await button.click();
    assert.equal(await background(), light, 'the button wins over the system');
    assert.equal(await button.getAttribute('aria-pressed'), 'false');
  },

  // axe's rules of WCAG 2.2 A and AA in both themes; and the contrast of every shade, which axe leaves
  // out where a cell holds more than text.
  async accessible(page) {
    const axe = fs.readFileSync(path.join(nodeModules, 'axe-core', 'axe.min.js'), 'utf8');
    await page.evaluate(axe);
    await page.locator('#file-placement > summary').click();
    await heat(page).locator('[data-cell]').first().click();
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme });
      await page.locator('.topology .device-nic').first().hover();
      const hovered = await page.evaluate(lowestContrast, '.topology .device:hover .name');
      assert.ok(hovered.ratio >= 4.5, `${colorScheme}: under the pointer a contrast of ${hovered.ratio.toFixed(2)}`);
      for (const metric of ['rate', 'class']) {
        await page.getByLabel('Shown').selectOption(metric);
        const { ratio, what } = await page.evaluate(
          lowestContrast,
          'td, th, .badge, p, small, .figure, .key, .id-mark, .bad-mark, a, dt, button, .platform',
        );
        assert.ok(ratio >= 4.5, `${colorScheme}: ${what} has a contrast of ${ratio.toFixed(2)}`);
      }
      await assertNoViolation(page, colorScheme);
    }
  },

  async narrow(page) {
    await page.setViewportSize({ width: 400, height: 800 });
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 400, `the page is ${width} wide`);
    await heat(page).locator('[data-cell]').first().click();
    assert.ok(await visible(page.getByRole('button', { name: 'Back to the map' })));
  },

  // On paper: every view, no selector, light colours.
  async print(page, to) {
    await toPaper(page);
    assert.equal(await page.locator('.paper-only table').count(), 4);
    assert.ok(await visible(page.locator('.paper-only table')));
    await assertPrints(page, to);
  },

  // A name is shown as it is, and nothing of it runs.
  async hostile(page, name) {
    assert.ok((await text(page.locator('body'))).includes(name.replace(/\s+/g, ' ')));
    assert.equal(await page.evaluate(() => globalThis.hacked), undefined);
    assert.equal(await page.locator('img').count(), 0);
  },

  // As scripts/page_pictures makes them: from the top to the charts of the first finding's evidence, on a
  // screen that holds all of it, so that nothing sticks where it is scrolled to.
  async picture(page, to, width, theme) {
    await page.setViewportSize({ width: Number(width), height: 4000 });
    await page.emulateMedia({ colorScheme: theme });
    await page.locator('#found button.evidence').first().click();
    const height = await page.evaluate(() => {
      document.activeElement.blur();
      window.scrollTo(0, 0);
      const parts = [...document.querySelectorAll('#heat, #cell figure')];
      return Math.ceil(Math.max(...parts.map((part) => part.getBoundingClientRect().bottom)));
    });
    await page.screenshot({ path: to, clip: { x: 0, y: 0, width: Number(width), height: height + 16 } });
  },
};

Object.assign(
  probes,
  require('./fleet_browser.cjs')({
    text,
    visible,
    heat,
    lowestContrast,
    assertNoViolation,
    toPaper,
    assertInSight,
    assertPrints,
    nodeModules,
  }),
);

async function main() {
  const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
    fs.existsSync,
  );
  if (!executablePath) throw new Error('there is no Chromium: scripts/setup --test installs it');
  const browser = await chromium.launch({
    executablePath,
    // Whoever runs the tests may be root and in a container, where Chromium's own sandbox cannot be.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
  });
  try {
    const page = await browser.newPage({
      viewport: { width: 1400, height: 900 },
      colorScheme: 'light',
      reducedMotion: 'reduce',
    });
    const complaints = [];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('request', (request) => {
      if (!/^(file|data):/.test(request.url())) complaints.push(`asks for ${request.url()}`);
    });
    await page.goto(pathToFileURL(file).href);
    await probes[probe](page, ...args);
    assert.deepEqual(complaints, [], 'what the browser says');
  } finally {
    await browser.close();
  }
}

main().catch((error) => {
  console.error(error.message ?? error);
  process.exitCode = 1;
});
