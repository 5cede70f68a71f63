import type { Found, Verification } from './verification.ts'

/** A text in the code of a program. */
export const quoted = (text: string): string => `'${text.replaceAll(/[\\']/g, '\\$&')}'`

/** What a receiver logs, as arguments of a call. */
export const logged = ({ logged }: Verification): string => logged.map(expression).join(', ')

const expression = (found: Found): string =>
  found.in === 'header'
    ? `request.headers[${quoted(found.name.toLowerCase())}]`
    : ['event', ...found.path].join('.')
