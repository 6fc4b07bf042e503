// Probes of report_browser.cjs for the page of a fleet; those that are not here are the same for both
// pages (tooltip, keyboard, themes, narrow).
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');

module.exports = ({
  text,
  visible,
  heat,
  lowestContrast,
  assertNoViolation,
  toPaper,
  assertInSight,
  assertPrints,
  nodeModules,
}) => ({
  async fleet_loads(page, title) {
    assert.match(await page.title(), new RegExp(title));
    for (const id of ['found', 'map', 'distribution', 'unmeasured', 'slots', 'noise', 'facts']) {
      assert.ok(await visible(page.locator(`#${id} h2`)), `section ${id}`);
    }
    assert.ok(await visible(page.locator('#distribution figure svg')), 'a distribution is drawn');
    console.log(await text(page.locator('body')));
  },

  async fleet_sort(page) {
    const column = page.locator('#slot-table th', { hasText: 'as initiator' });
    const index = await column.evaluate((head) => [...head.parentElement.children].indexOf(head) + 1);
    const first = page.locator(`#slot-table tbody tr:first-child td:nth-child(${index})`);
    await column.locator('button').click();
    assert.equal(await column.getAttribute('aria-sort'), 'ascending');
    const lowest = Number(await text(first));
    await column.locator('button').click();
    assert.equal(await column.getAttribute('aria-sort'), 'descending');
    const highest = Number(await text(first));
    assert.ok(lowest > 55 && lowest < 65 && highest > 95, `${lowest} … ${highest}`);
  },

  async fleet_filter(page, words, count) {
    await page.locator('#slot-table input[type=search]').fill(words);
    assert.equal(await text(page.locator('#slot-table .count')), count);
    for (const row of await page.locator('#slot-table tbody tr').all()) {
      const shown = (await text(row)).toLowerCase();
      for (const word of words.toLowerCase().split(' ')) assert.ok(shown.includes(word), `${word} in ${shown}`);
    }
  },

  // From the top of the page to what a finding rests on: one click, on a screen of any size; to a run's
  // own page: a second. Prints the command that says why, as it is to be pasted.
  async fleet_evidence(page, node, ...parts) {
    for (const [width, height] of [
      [1110, 720],
      [400, 800],
      [1400, 900],
    ]) {
      await page.setViewportSize({ width, height });
      await page.evaluate(() => window.scrollTo(0, 0));
      await page.locator('#found .decision', { hasText: node }).locator('button.evidence').first().click();
      await assertInSight(page);
    }
    const panel = page.locator('#cell');
    console.log(await text(panel.locator('code', { hasText: 'railgauge explain' })));
    const shown = await text(panel);
    for (const part of [node, ...parts]) assert.ok(shown.includes(part), `${part} in: ${shown}`);
    assert.equal(await panel.locator('figure svg').count(), 2, 'paired rounds and the distribution');
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'cell-title');
    await panel
      .locator('a', { hasText: `runs/${node}/` })
      .first()
      .click();
    await page.waitForURL(/report\.html$/);
    assert.ok(await visible(page.locator('#map h2')), 'the page of the run');
  },

  // The machines below "All others", from the first.
  async fleet_order(page, ...nodes) {
    const others = heat(page).locator('tbody', { hasText: 'All others' }).locator('th[scope=row]');
    assert.deepEqual(await others.allInnerTexts(), nodes);
  },

  // The title of the map is no wider than what shows of the map.
  async fleet_title(page) {
    for (const width of [1500, 1110, 800, 400]) {
      await page.setViewportSize({ width, height: 800 });
      const [title, shown] = await page.evaluate(() => {
        const wide = (selector) => document.querySelector(selector).getBoundingClientRect().right;
        return [wide('#heat caption span'), wide('#heat')];
      });
      assert.ok(title <= shown + 1, `${title} of ${shown} at ${width}`);
    }
  },

  // What the selectors choose is what the map shows.
  async fleet_views(page, node, slot) {
    const box = heat(page).locator(`[data-cell="${node} ${slot}"]`);
    const figures = new Set();
    for (const [label, value] of [
      ['Measured as', 'target'],
      ['Measured as', 'initiator'],
      ['Direction', 'from_memory'],
      ['Shown', 'median'],
    ]) {
      await page.getByLabel(label, { exact: true }).selectOption(value);
      assert.ok((await text(heat(page).locator('caption'))).includes(value), value);
      figures.add(await text(box));
    }
    for (const figure of figures) assert.match(figure, /^(59|60|61) ?▼/);
    const signs = await heat(page).locator('.bad-mark').allInnerTexts();
    assert.ok(signs.includes('⇄'), 'the healthy machine that was measured with it is marked, too');
    const figure = page.locator('#distribution figcaption');
    const before = await text(figure);
    await page.getByLabel('Slot', { exact: true }).selectOption(slot);
    assert.notEqual(await text(figure), before);
    assert.ok((await page.locator('#distribution svg').getAttribute('aria-label')).includes(`▼ ${node}`));
  },

  async fleet_accessible(page) {
    await page.evaluate(fs.readFileSync(path.join(nodeModules, 'axe-core', 'axe.min.js'), 'utf8'));
    for (const file of ['fleet', 'groups']) await page.locator(`#file-${file} > summary`).click();
    await page.locator('#found button.evidence').first().click();
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme });
      const { ratio, what } = await page.evaluate(
        lowestContrast,
        'td, th, .badge, p, small, .figure, .key, .bad-mark, a, dt, button, .platform, .gate, code',
      );
      assert.ok(ratio >= 4.5, `${colorScheme}: ${what} has a contrast of ${ratio.toFixed(2)}`);
      await assertNoViolation(page, colorScheme);
    }
  },

  async fleet_print(page, to) {
    await toPaper(page);
    assert.ok(await visible(heat(page)), 'the map is printed');
    await assertPrints(page, to);
  },
});
