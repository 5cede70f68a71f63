import type { Profile } from '../profiles/profile.ts'
import { signatureHeaderOf } from '../profiles/requests.ts'
import type { Language } from './language.ts'
import { csharp } from './languages/csharp.ts'
import { go } from './languages/go.ts'
import { java } from './languages/java.ts'
import { node } from './languages/node.ts'
import { php } from './languages/php.ts'
import { python } from './languages/python.ts'
import { ruby } from './languages/ruby.ts'
import { rust } from './languages/rust.ts'
import { type LibraryProgram, posthornReceiver, standardwebhooks } from './libraries.ts'
import { isPlan, planOf } from './plan.ts'

export const LANGUAGES: readonly Language[] = [node, python, go, ruby, php, java, csharp, rust]

/** A whole receiver that runs as it stands, or why there is none. */
export type ReceiverProgram = {
  /** Of the language, or of the language and a library. */
  readonly id: string
  readonly language: string
  readonly name: string
  /** What words of the code are colored by. */
  readonly colors: string
} & (
  | {
      readonly why: null
      readonly needs: string
      /** What it checks and how it answers. Code stands between backticks, as in the other sentences. */
      readonly checks: string
      /** Where frameworks have the raw body; `null` where a library says it. */
      readonly frameworks: string | null
      /** Commands that prepare a directory. */
      readonly setup: readonly string[]
      readonly file: string
      readonly code: string
      /** Starts it, with the secret in its environment. */
      readonly run: string
    }
  | { readonly why: string }
)

function checksOf(profile: Profile): string {
  const isTimed = profile.signatures.some(({ content }) => content.includes('{timestamp'))
  const time = isTimed
    ? 'The program rejects requests that were signed more than 5 minutes ago.'
    : 'The time is not signed. You can recognize a replayed request only by the id of an event that you have already processed.'
  return `The signature is in the header \`${signatureHeaderOf(profile)}\`. ${time} For each genuine request the program prints \`verified\`. For other requests it answers 400 with the reason.`
}

/** Keeps the secret out of the code. */
function runWith({ secret: { prefix }, signatures }: Profile, command: string): string {
  const isPublic = signatures.length > 0 && signatures.every(({ algorithm }) => algorithm === 'ed25519')
  const shown = `${isPublic ? 'whpk_' : prefix}…`
  return `WEBHOOK_SECRET='${shown.replaceAll("'", "'\\''")}' ${command}`
}

/**
 * The programs that verify the requests of a service, those of a language one after the other.
 * @param publicUrl where people reach this Posthorn
 */
export function receiverPrograms(profile: Profile, publicUrl: string): readonly ReceiverProgram[] {
  const plan = planOf(profile)
  return LANGUAGES.flatMap((language) => {
    const { id, name, colors, needs, frameworks, setup, file, run } = language
    const shared = { id, language: id, name, colors }
    const why = isPlan(plan) ? language.cannot(plan) : plan.why
    const own: ReceiverProgram =
      why === null && isPlan(plan)
        ? {
            ...shared,
            why,
            needs,
            checks: checksOf(profile),
            frameworks,
            setup,
            file,
            code: language.program(plan),
            run: runWith(profile, run),
          }
        : { ...shared, why: why ?? '' }
    const libraryCan = isPlan(plan) || plan.libraryCan
    return id === node.id && libraryCan ? [own, ...withLibraries(profile, publicUrl)] : [own]
  })
}

function withLibraries(profile: Profile, publicUrl: string): readonly ReceiverProgram[] {
  return [posthornReceiver(profile, publicUrl), standardwebhooks(profile)]
    .filter((program): program is LibraryProgram => program !== null)
    .map((program) => ({
      ...program,
      language: node.id,
      colors: node.colors,
      why: null,
      checks: checksOf(profile),
      frameworks: null,
      file: node.file,
      run: runWith(profile, node.run),
    }))
}
