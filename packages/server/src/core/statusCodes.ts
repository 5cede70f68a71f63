import { FORMS } from './textForms.ts'

/** Status codes of a filter, both ends included; `none`: there was no response. */
export type StatusCodes = 'none' | { readonly from: number; readonly to: number }

/** One code, a class, or `none`. */
const WRITTEN = new RegExp(FORMS.statusCodes.pattern)

/** @returns `null` for any other text */
export function parseStatusCodes(text: string): StatusCodes | null {
  if (!WRITTEN.test(text)) return null
  if (text === 'none') return text
  if (!text.endsWith('xx')) return { from: Number(text), to: Number(text) }
  const from = Number(text[0]) * 100
  return { from, to: from + 99 }
}

/** @param code `null`: there was no response */
export function isAmong(codes: StatusCodes, code: number | null): boolean {
  if (codes === 'none' || code === null) return codes === 'none' && code === null
  return code >= codes.from && code <= codes.to
}

/** Whether an attempt that succeeded can match: only these codes are a success. */
export function mayBeSuccess(codes: StatusCodes): boolean {
  return codes !== 'none' && codes.from <= 299 && codes.to >= 200
}
