import type { Verification } from './verification.ts'

/** A whole receiver that runs as it stands: it reads the raw body, checks it, and only then looks into it. */
export interface Snippet {
  readonly language: 'node' | 'standardwebhooks' | 'python' | 'go' | 'ruby' | 'php'
  readonly label: string
  /** What it needs. */
  readonly note: string
  /** Put before `code` where something has to be installed. */
  readonly install: string | null
  readonly file: string
  readonly code: string
  readonly run: string
}

/** The command that starts a receiver; the secret stays out of its code. */
export const runWith = ({ secretPrefix }: Pick<Verification, 'secretPrefix'>, command: string): string =>
  `WEBHOOK_SECRET='${secretPrefix}…' ${command}`

/** The name of a header in the environment of CGI and Rack. */
export const environmentName = (header: string): string => `HTTP_${header.toUpperCase().replaceAll('-', '_')}`
