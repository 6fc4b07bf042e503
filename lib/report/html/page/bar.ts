// The bar of controls and legend, which stays at the top of a wide screen: what is scrolled to must
// come to rest below it, however many lines it has.

export function watchBar(bar: HTMLElement): HTMLElement {
  const measure = (): void => {
    const height = getComputedStyle(bar).position === 'sticky' ? bar.offsetHeight : 0;
    document.documentElement.style.setProperty('--bar', `${height}px`);
  };
  new ResizeObserver(measure).observe(bar);
  window.addEventListener('resize', measure);
  return bar;
}
