import type { Plan } from './plan.ts'

/** One way to receive requests in a programming language. */
export interface Language {
  /** In addresses, such as `python`. */
  readonly id: string
  readonly name: string
  /** What words of the code are colored by. */
  readonly colors: string
  /** What has to be there, in a sentence or two. */
  readonly needs: string
  /** Where frameworks have the raw body. */
  readonly frameworks: string
  /** Commands that prepare a directory; none for most. */
  readonly setup: readonly string[]
  readonly file: string
  /** The command that starts it, without the variable that holds the secret. */
  readonly run: string
  /** Why the language cannot do it; `null`: it can. */
  cannot(plan: Plan): string | null
  /** The whole source. */
  program(plan: Plan): string
}
