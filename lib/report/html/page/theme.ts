// Light or dark: as the system has it, until the reader chooses.

import { h } from './dom.ts';

const KEY = 'railgauge-theme';

function stored(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null; // a browser may keep nothing for files
  }
}

export function themeButton(): HTMLElement {
  const system = window.matchMedia('(prefers-color-scheme: dark)');
  const root = document.documentElement;
  const isDark = (): boolean => (root.dataset.theme ? root.dataset.theme === 'dark' : system.matches);
  const button = h('button', { type: 'button', class: 'theme no-print' }, 'Dark');
  const show = (): void => button.setAttribute('aria-pressed', String(isDark()));
  const chosen = stored();
  if (chosen) root.dataset.theme = chosen;
  button.addEventListener('click', () => {
    root.dataset.theme = isDark() ? 'light' : 'dark';
    try {
      localStorage.setItem(KEY, root.dataset.theme);
    } catch {
      // The choice then holds for this page only.
    }
    show();
  });
  system.addEventListener('change', show);
  show();
  return button;
}
