/** Why the sign-in by the identity provider failed, and what to do. */
export interface ProviderFailure {
  readonly title: string
  readonly text: string
  /** E-mail address used at the provider; `null`: unknown or irrelevant. */
  readonly email: string | null
}

const LINK_INSTEAD = 'You can request a link by e-mail instead.'

const WORDS: Readonly<Record<string, Omit<ProviderFailure, 'email'>>> = {
  canceled: {
    title: 'Sign-in canceled',
    text: 'The sign-in was canceled at the provider. Try again, or request a link by e-mail.',
  },
  expired: {
    title: 'Sign-in expired',
    text: 'The sign-in took longer than 10 minutes, or was started in another tab or browser. Start again here.',
  },
  provider_down: {
    title: 'The provider does not respond',
    text: 'Try again in a minute, or request a link by e-mail.',
  },
  unavailable: {
    title: 'Sign-in is not available',
    text: 'Posthorn is temporarily unavailable. Try again in a minute.',
  },
  no_email: {
    title: 'No e-mail address',
    text: `The provider did not send your e-mail address. Contact an operator of this service. ${LINK_INSTEAD}`,
  },
  unverified_email: {
    title: 'Address not verified',
    text: `The provider has not verified your e-mail address. Verify it there, then try again. ${LINK_INSTEAD}`,
  },
  no_rights: {
    title: 'No access',
    text: 'You signed in, but this address has no access here. Ask an operator of this service to add it.',
  },
  busy: {
    title: 'Too many sign-ins',
    text: 'Too many people are signing in right now. Try again in a minute.',
  },
  refused: {
    title: 'Sign-in failed',
    text: `The response of the provider was not valid. Try again. If it fails again, contact an operator of this service. ${LINK_INSTEAD}`,
  },
}

const ADDRESS = /^[^\s<>@]{1,64}@[^\s<>@]{1,189}$/

/**
 * @param fragment untrusted, from the URL after `#`
 * @returns `null`: it is not about the provider
 */
export function providerFailure(fragment: string | null): ProviderFailure | null {
  if (fragment === null || !fragment.startsWith('failed=')) return null
  const params = new URLSearchParams(fragment)
  const code = params.get('failed') ?? ''
  const email = params.get('as') ?? ''
  const words = Object.hasOwn(WORDS, code) ? WORDS[code]! : WORDS.refused!
  return { ...words, email: ADDRESS.test(email) ? email : null }
}
