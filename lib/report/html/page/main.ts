// Draws the page that the embedded data is for: there is one kind of data for each kind of report, and
// the parts (tables, maps, charts, words) know of neither.

import { replace, type Child } from './dom.ts';
import type { PageData } from './data.ts';
import type { FleetData } from './fleet_data.ts';
import { fleetPage } from './fleet_page.ts';
import { runPage } from './run_page.ts';

type Data = PageData | FleetData;

function draw(data: Data): Child {
  return data.kind === 'fleet' ? fleetPage(data) : runPage(data);
}

// On paper nothing can be opened: what belongs there is open while it is printed.
function openForPaper(): void {
  let opened: HTMLDetailsElement[] = [];
  window.addEventListener('beforeprint', () => {
    opened = [...document.querySelectorAll<HTMLDetailsElement>('details[data-print]:not([open])')];
    for (const details of opened) details.open = true;
  });
  window.addEventListener('afterprint', () => {
    for (const details of opened) details.open = false;
  });
}

function main(): void {
  const root = document.getElementById('page');
  const text = document.getElementById('data')?.textContent;
  if (!root || !text) return;
  replace(root, draw(JSON.parse(text) as Data));
  openForPaper();
}

main();
