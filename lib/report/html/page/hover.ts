// A tooltip: shown on hover and on focus, hidden by Escape, and itself hoverable, as WCAG 1.4.13
// asks. One element serves all boxes.

import { h, replace, type Child } from './dom.ts';

export class HoverCard {
  readonly element: HTMLElement;
  private owner: HTMLElement | null = null;

  constructor(id: string) {
    this.element = h('div', { class: 'tooltip', role: 'tooltip', id, hidden: true });
    document.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') this.hide();
    });
    this.element.addEventListener('mouseleave', () => this.hide());
  }

  attach(box: HTMLElement, content: () => Child[]): void {
    box.addEventListener('mouseenter', () => this.show(box, content));
    box.addEventListener('focus', () => this.show(box, content));
    box.addEventListener('blur', () => this.hide());
    box.addEventListener('mouseleave', (event) => {
      if (event.relatedTarget !== this.element) this.hide();
    });
  }

  private hide(): void {
    this.element.hidden = true;
    this.owner?.removeAttribute('aria-describedby');
    this.owner = null;
  }

  private show(box: HTMLElement, content: () => Child[]): void {
    this.hide();
    this.owner = box;
    box.setAttribute('aria-describedby', this.element.id);
    replace(this.element, content());
    this.element.hidden = false;
    const at = box.getBoundingClientRect();
    const size = this.element.getBoundingClientRect();
    const below = at.bottom + size.height + 6 < window.innerHeight;
    const left = Math.min(Math.max(4, at.left), document.documentElement.clientWidth - size.width - 4);
    this.element.style.left = `${Math.max(4, left) + window.scrollX}px`;
    this.element.style.top = `${(below ? at.bottom + 2 : at.top - size.height - 2) + window.scrollY}px`;
  }
}
