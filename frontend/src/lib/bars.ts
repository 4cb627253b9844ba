/** markBars tells whether scroll bars lie over what they scroll, as they do in WebKitGTK and on a Mac. */
export function markBars(doc: Document): void {
  const probe = doc.createElement('div');
  probe.style.overflow = 'scroll';
  doc.body.append(probe);
  doc.documentElement.classList.toggle('bars-over', probe.offsetWidth === probe.clientWidth);
  probe.remove();
}

/**
 * coverBars takes the scroll bars of what a sheet covers away, until the result is
 * called: WebKitGTK paints bars that lie over their content last, above the sheet, and
 * keeps one that is shown whatever scrollbar-width says. Nothing moves, for they take no
 * room.
 */
export function coverBars(doc: Document, sheet: Element | undefined): () => void {
  if (!doc.documentElement.classList.contains('bars-over')) return () => {};
  const covered = [...doc.body.querySelectorAll('*')].filter(
    (element) => !sheet?.contains(element) && element.scrollHeight > element.clientHeight && /auto|scroll/.test(getComputedStyle(element).overflowY),
  );
  for (const element of covered) element.setAttribute('data-covered', '');
  return () => {
    for (const element of covered) element.removeAttribute('data-covered');
  };
}
