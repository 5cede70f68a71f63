import { SignInFailure } from './failures.ts'

const MAX_IN_ALL = 20
/** Anyone can begin sign-ins and answer with wrong codes. These must leave room for the people of other clients. */
const MAX_BY_CLIENT = 8

/** Bounds how many exchanges with the identity provider a node waits for at a time. */
export class ExchangeSlots {
  readonly #byClient = new Map<string, number>()
  #inAll = 0

  /**
   * @param client from `clientOf`
   * @throws SignInFailure `busy` (rejects) beyond a limit
   */
  async run<T>(client: string, exchange: () => Promise<T>): Promise<T> {
    const own = this.#byClient.get(client) ?? 0
    if (own >= MAX_BY_CLIENT)
      throw new SignInFailure(
        'busy',
        `on this node, ${own} sign-ins of this client already wait for the provider`,
      )
    if (this.#inAll >= MAX_IN_ALL)
      throw new SignInFailure('busy', `on this node, ${this.#inAll} sign-ins already wait for the provider`)
    this.#inAll += 1
    this.#byClient.set(client, own + 1)
    try {
      return await exchange()
    } finally {
      this.#inAll -= 1
      const left = this.#byClient.get(client)! - 1
      if (left === 0) this.#byClient.delete(client)
      else this.#byClient.set(client, left)
    }
  }
}
