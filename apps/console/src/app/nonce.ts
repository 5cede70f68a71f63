/** What the service allows the styles of this page by; each answer has another. */
export const styleNonce = (): string =>
  document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? ''

/** The library that holds the page still behind a dialog takes the nonce from this global, and from nowhere else. */
export function announceNonce(): void {
  Object.assign(globalThis, { __webpack_nonce__: styleNonce() })
}
