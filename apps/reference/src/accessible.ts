/** Adds to RapiDoc what keyboards and screen readers need. @param root whose shadow trees are followed too */
export function makeAccessible(root: ParentNode & Node): void {
  for (const element of root.querySelectorAll('*')) reach(element)
  new MutationObserver((changes) => {
    for (const added of changes.flatMap(({ addedNodes }) => [...addedNodes])) {
      if (!(added instanceof Element)) continue
      reach(added)
      for (const element of added.querySelectorAll('*')) reach(element)
    }
  }).observe(root, { childList: true, subtree: true })
}

function reach(element: Element): void {
  // So that the arrow keys scroll a long example.
  if (element instanceof HTMLPreElement) element.tabIndex = 0
  const name = nameOf(element)
  if (name !== undefined && !element.hasAttribute('aria-label')) element.setAttribute('aria-label', name)
  // A component draws after it was added, so its tree is still empty or missing parts here.
  if (element.shadowRoot !== null) makeAccessible(element.shadowRoot)
}

/** What a control of an operation is for. */
function nameOf(element: Element): string | undefined {
  // The list of documents, outside of RapiDoc, has a label.
  if (element instanceof HTMLSelectElement && element.labels.length === 0) return 'Example'
  if (element instanceof HTMLTextAreaElement) return element.dataset.pname ?? 'Request body'
  return element instanceof HTMLInputElement ? element.dataset.pname : undefined
}
