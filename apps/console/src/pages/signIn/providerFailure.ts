/** Why the identity provider did not sign somebody in, and what to do. */
export interface ProviderFailure {
  readonly title: string
  readonly text: string
  /** Whom the provider had signed in; `null`: that is not known, or does not matter. */
  readonly email: string | null
}

const LINK_INSTEAD = 'Ask for a link by e-mail instead.'

const WORDS: Readonly<Record<string, Omit<ProviderFailure, 'email'>>> = {
  canceled: {
    title: 'Sign-in canceled',
    text: 'The sign-in was canceled at the provider. Try again, or ask for a link by e-mail.',
  },
  expired: {
    title: 'This sign-in cannot go on',
    text: 'It took longer than 10 minutes, or it began in another tab or browser. Start again here.',
  },
  provider_down: {
    title: 'The provider does not answer',
    text: 'Try again in a minute, or ask for a link by e-mail.',
  },
  unavailable: {
    title: 'Sign-in is not available',
    text: 'Posthorn cannot sign anybody in right now. Try again in a minute.',
  },
  no_email: {
    title: 'No e-mail address',
    text: `The provider did not send your e-mail address. Tell an operator of this service. ${LINK_INSTEAD}`,
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
    text: `The answer of the provider was not valid. Try again. If it happens again, tell an operator of this service. ${LINK_INSTEAD}`,
  },
}

const ADDRESS = /^[^\s<>@]{1,64}@[^\s<>@]{1,189}$/

/**
 * @param fragment what stands behind the `#` of the address; anybody may have written it
 * @returns `null`: it says nothing of the provider
 */
export function providerFailure(fragment: string | null): ProviderFailure | null {
  if (fragment === null || !fragment.startsWith('failed=')) return null
  const params = new URLSearchParams(fragment)
  const code = params.get('failed') ?? ''
  const email = params.get('as') ?? ''
  const words = Object.hasOwn(WORDS, code) ? WORDS[code]! : WORDS.refused!
  return { ...words, email: ADDRESS.test(email) ? email : null }
}
