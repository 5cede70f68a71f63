/** Display name of the identity provider, from the document; `null`: none. */
export function providerName(): string | null {
  const meta = document.querySelector<HTMLMetaElement>('meta[name="sign-in-provider"]')
  return meta === null || meta.content === '' ? null : meta.content
}

/** @param to path in this console; `undefined`: the home page */
export const providerHref = (to: string | undefined): string =>
  to === undefined ? '/sign-in/provider' : `/sign-in/provider?${new URLSearchParams({ next: to })}`
