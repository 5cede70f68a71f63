import { verify as verifyHub } from '@octokit/webhooks-methods'
import type { SchemeName } from '@posthorn/receiver'
import { Webhook } from 'standardwebhooks'

type Headers = Readonly<Record<string, string>>

/** Asks the libraries that receivers of either service use. @returns why the request is not genuine, or `null` */
const CHECKS: Readonly<
  Record<SchemeName, (secret: string, body: string, headers: Headers) => Promise<string | null>>
> = {
  async standard(secret, body, headers) {
    try {
      new Webhook(secret).verify(body, headers)
      return null
    } catch (error) {
      return String(error)
    }
  },
  async service(secret, body, headers) {
    const header = headers['x-service-signature'] ?? ''
    return (await verifyHub(secret, body, header)) ? null : 'no matching signature found'
  },
}

/**
 * Finds out which of a hook's secrets signed a request.
 * @returns their positions, and what is wrong with the request when there are none
 */
export async function signersOf(
  scheme: SchemeName,
  secrets: readonly string[],
  request: { readonly body: string; readonly headers: Headers },
): Promise<{ readonly signedBy: readonly number[]; readonly forgery: string | null }> {
  const signedBy: number[] = []
  let forgery: string | null = 'no secret is known'
  for (const [position, secret] of secrets.entries()) {
    const complaint = await CHECKS[scheme](secret, request.body, request.headers)
    if (complaint === null) signedBy.push(position)
    else forgery = complaint
  }
  return { signedBy, forgery: signedBy.length > 0 ? null : forgery }
}
