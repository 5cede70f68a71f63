/** What people call the identity provider of this service, as the document says; `null`: it has none. */
export function providerName(): string | null {
  const meta = document.querySelector<HTMLMetaElement>('meta[name="sign-in-provider"]')
  return meta === null || meta.content === '' ? null : meta.content
}

/** @param to path in this console; `undefined`: nowhere in particular */
export const providerHref = (to: string | undefined): string =>
  to === undefined ? '/sign-in/provider' : `/sign-in/provider?${new URLSearchParams({ next: to })}`
