/** The nonce for styles in the Content-Security-Policy of this response. */
export const styleNonce = (): string =>
  document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? ''

/** The scroll-lock library of dialogs reads the nonce only from this global. */
export function announceNonce(): void {
  Object.assign(globalThis, { __webpack_nonce__: styleNonce() })
}
