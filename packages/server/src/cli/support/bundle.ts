/** One file of a support bundle. */
export interface Member {
  readonly name: string
  /** One line for people. */
  readonly what: string
  /** Why it is not in the bundle; `null`: it is. */
  readonly missing: string | null
  /** Empty if it is missing. */
  readonly text: string
}

interface Part {
  readonly name: string
  readonly what: string
  /** @throws Error (rejects) whose message says why it cannot be had */
  readonly read: () => string | Promise<string>
}

/** A part that hangs must not hold up the others. Requests and the store have shorter limits of their own. */
const PART_WITHIN_MS = 15_000

/** Reads all parts at once. One that fails is left out, with the reason. */
export const readParts = (parts: readonly Part[], withinMs = PART_WITHIN_MS): Promise<readonly Member[]> =>
  Promise.all(
    parts.map(async ({ name, what, read }): Promise<Member> => {
      try {
        return { name, what, missing: null, text: await within(withinMs, read) }
      } catch (error) {
        return { name, what, missing: (error as Error).message, text: '' }
      }
    }),
  )

async function within<Result>(ms: number, read: () => Result | Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`not read within ${ms / 1000} seconds`)), ms)
  })
  try {
    return await Promise.race([Promise.resolve().then(read), late])
  } finally {
    clearTimeout(timer)
  }
}

export const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`
