/** Something that an operator should know and fix. */
export interface Warning {
  /** Stable, for programs. */
  readonly code: WarningCode
  /** For people: what is wrong, what the service does about it, and what to do. */
  readonly text: string
  /** Unix ms. */
  readonly since: number
}

/** The kinds of warnings; there is at most one active warning of each kind. */
export type WarningCode =
  | 'clock_leapt'
  | 'clock_gap'
  | 'clock_differs'
  | 'sending_held'
  | 'egress_probe_away'
  | 'egress_allow_wide'
  | 'egress_allow_metadata'
  | 'data_directory_open'
  | 'key_file_open'
  | 'setting_file_open'
  | 'tls_certificate_expires'

/** The active warnings of this node, in `/admin/v1/warnings` and in the console. */
export class Warnings {
  readonly #warnings = new Map<WarningCode, Warning>()

  /** Replaces an earlier warning of the same kind. */
  give(warning: Warning): void {
    this.#warnings.set(warning.code, warning)
  }

  withdraw(code: WarningCode): void {
    this.#warnings.delete(code)
  }

  /** Oldest first. */
  list(): readonly Warning[] {
    return [...this.#warnings.values()].sort((a, b) => a.since - b.since)
  }
}
