import { isProblem } from '../../../api/problem.ts'
import {
  type Draft,
  type DraftField,
  differingFields,
  FIELD_KEYS,
  FIELDS,
  inputOf,
  missingIn,
} from '../../../model/draft.ts'
import type { WebhookInput } from '../../../model/webhook.ts'
import { capitalized } from '../../../model/words.ts'
import { plainText } from '../../../shared/untrusted/pieces.ts'

/** What is wrong with each field; `null`: nothing that is known. */
export type Refusals = Readonly<Record<DraftField, string | null>>

/**
 * What stands at the fields of a form: what the service said of what was sent, as long as it was not changed since, and,
 * once sending was tried, what is missing.
 */
export function refusalsOf(params: {
  readonly draft: Draft
  readonly error: unknown
  /** What was refused. */
  readonly sent: WebhookInput | undefined
  readonly tried: boolean
}): Refusals {
  const { draft, error, sent, tried } = params
  const missing = tried ? missingIn(draft) : {}
  const changed = sent === undefined ? [] : differingFields(sent, inputOf(draft))
  const at = (field: DraftField): string | null => {
    const said = changed.includes(field) ? null : mistakeIn(error, field)
    return missing[field] ?? said
  }
  return Object.fromEntries(FIELD_KEYS.map((field) => [field, at(field)])) as Refusals
}

function mistakeIn(error: unknown, field: DraftField): string | null {
  if (!isProblem(error)) return null
  for (const pointer of FIELDS[field].pointers) {
    const message = error.mistakeAt(pointer)
    if (message !== null) return sentence(message)
  }
  return null
}

/** Some mistakes are sentences, others go on after the name of their place: "must be …". */
const sentence = (message: string) => `${capitalized(plainText(message))}${/[.!?]$/.test(message) ? '' : '.'}`

/** Whether an error has nothing to say that stands at a field. */
export const isGeneral = (error: unknown): boolean =>
  !FIELD_KEYS.some((field) => mistakeIn(error, field) !== null)
