import { MINUTE_MS } from '../core/duration.ts'
import { type Block, paragraph } from './blocks.ts'
import { utc } from './webhookMail.ts'

/** @param token of the link, which is as sensitive as a password until it is used */
export function composeSignInMail(
  token: string,
  { createdAt, expiresAt }: { readonly createdAt: number; readonly expiresAt: number },
  publicUrl: string,
): { subject: string; blocks: readonly Block[] } {
  const minutes = Math.round((expiresAt - createdAt) / MINUTE_MS)
  return {
    subject: 'Your sign-in link for Posthorn',
    blocks: [
      paragraph('Someone, probably you, asked for a link to sign in to Posthorn with this address.'),
      { kind: 'action', label: 'Sign in', url: `${publicUrl}/sign-in#${encodeURIComponent(token)}` },
      paragraph(`The link works once, for ${minutes} minutes: until ${utc(expiresAt)}.`),
      {
        kind: 'aside',
        text: 'If you did not ask for it, ignore this message. Do not share the link: anyone who has it can sign in as you.',
        url: null,
      },
    ],
  }
}
