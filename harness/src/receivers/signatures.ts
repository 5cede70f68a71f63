import { verify as verifyHub } from '@octokit/webhooks-methods'
import type { SchemeName } from '@posthorn/receiver'
import { Webhook } from 'standardwebhooks'

type Headers = Readonly<Record<string, string>>

interface Request {
  readonly body: string
  readonly headers: Headers
  /** Unix ms. */
  readonly seenAt: number
}

/**
 * Verifies with the libraries that receivers of either service use. @returns why the request is not genuine,
 * or `null`
 */
const CHECKS: Readonly<Record<SchemeName, (secret: string, request: Request) => Promise<string | null>>> = {
  async standard(secret, { body, headers, seenAt }) {
    const { now } = Date
    // The library compares with the present time and takes no other.
    Date.now = () => seenAt
    try {
      new Webhook(secret).verify(body, headers)
      return null
    } catch (error) {
      return String(error)
    } finally {
      Date.now = now
    }
  },
  async service(secret, { body, headers }) {
    const header = headers['x-service-signature'] ?? ''
    return (await verifyHub(secret, body, header)) ? null : 'no matching signature found'
  },
}

/**
 * Finds which of a hook's secrets signed a request.
 * @returns their indexes, and the problem of the request when there are none
 */
export async function signersOf(
  scheme: SchemeName,
  secrets: readonly string[],
  request: Request,
): Promise<{ readonly signedBy: readonly number[]; readonly forgery: string | null }> {
  const signedBy: number[] = []
  let forgery: string | null = 'no secret is known'
  for (const [position, secret] of secrets.entries()) {
    const complaint = await CHECKS[scheme](secret, request)
    if (complaint === null) signedBy.push(position)
    else forgery = complaint
  }
  return { signedBy, forgery: signedBy.length > 0 ? null : forgery }
}
