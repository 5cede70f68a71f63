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

/** Errors by field; `null`: none. */
export type Refusals = Readonly<Record<DraftField, string | null>>

/**
 * Errors at the fields of a form: the service's errors until a field is changed, and missing values after the first
 * submission.
 */
export function refusalsOf(params: {
  readonly draft: Draft
  readonly error: unknown
  /** The rejected input. */
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

/** Some errors are sentences, others continue the name of their field: "must be …". */
const sentence = (message: string) => `${capitalized(plainText(message))}${/[.!?]$/.test(message) ? '' : '.'}`

/** Whether no field shows the error. */
export const isGeneral = (error: unknown): boolean =>
  !FIELD_KEYS.some((field) => mistakeIn(error, field) !== null)
