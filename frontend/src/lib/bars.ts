/** markBars tells the styles whether scroll bars lie over what they scroll, as they do in WebKitGTK and on a Mac. */
export function markBars(doc: Document): void {
  const probe = doc.createElement('div');
  probe.style.overflow = 'scroll';
  doc.body.append(probe);
  doc.documentElement.classList.toggle('bars-over', probe.offsetWidth === probe.clientWidth);
  probe.remove();
}
