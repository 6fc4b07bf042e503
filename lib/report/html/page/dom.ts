// Elements from code. Text is always a text node, so nothing that a device or a file is called can
// become markup.

export type Child = Node | string | null | undefined | false | Child[];

type Attributes = Record<string, string | number | boolean | null | undefined | ((event: never) => void)>;

export function append(parent: Element, children: Child[]): void {
  for (const child of children) {
    if (Array.isArray(child)) append(parent, child);
    else if (child) parent.append(child);
  }
}

function setAttributes(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name, value as EventListener);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, String(value));
  }
}

// An attribute that is a function listens to the event of that name.
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  setAttributes(element, attributes);
  append(element, children);
  return element;
}

export function svg(tag: string, attributes: Attributes = {}, ...children: Child[]): SVGElement {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  setAttributes(element, attributes);
  append(element, children);
  return element;
}

export function replace(parent: Element, ...children: Child[]): void {
  parent.replaceChildren();
  append(parent, children);
}

// A command to be pasted, which wraps between its words.
export function command(text: string): HTMLElement {
  return h(
    'code',
    {},
    text.split(' ').map((word, index) => [index > 0 && ' ', h('span', { class: 'word' }, word)]),
  );
}

let ids = 0;
export function freshId(prefix: string): string {
  ids += 1;
  return `${prefix}-${ids}`;
}

// A labelled <select>; `changed` gets the value that was chosen.
export function choice(
  label: string,
  options: { value: string; text: string }[],
  selected: string,
  changed: (value: string) => void,
): HTMLElement {
  const id = freshId('choice');
  const select = h(
    'select',
    { id, change: (event: Event) => changed((event.target as HTMLSelectElement).value) },
    options.map(({ value, text }) => h('option', { value, selected: value === selected }, text)),
  );
  return h('span', { class: 'choice' }, h('label', { for: id }, label), select);
}

// Where a screen reader hears what changed.
export function announce(text: string): void {
  const region = document.getElementById('announcements');
  if (region) region.textContent = text;
}
