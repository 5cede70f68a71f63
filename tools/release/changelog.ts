const UNRELEASED = '## [Unreleased]\n'
const SECTION = /^## \[(\d[^\]]*)\].*\n/m

interface Changelog {
  readonly former: string
  /** What was not released yet, in Markdown; empty: nothing. */
  readonly unreleased: string
  /** The text once that is the section of a version. */
  released(version: string, date: string): string
}

/** @throws Error when it has no section of what was not released, or of an earlier version */
export function readChangelog(text: string): Changelog {
  const start = text.indexOf(UNRELEASED)
  if (start === -1) throw new Error(`CHANGELOG.md: no "${UNRELEASED.trim()}"`)
  const rest = text.slice(start + UNRELEASED.length)
  const next = SECTION.exec(rest)
  if (next === null) throw new Error('CHANGELOG.md: no section of an earlier version')
  const unreleased = rest.slice(0, next.index).trim()
  return {
    former: next[1]!,
    unreleased,
    released: (version, date) => text.replace(UNRELEASED, () => `${UNRELEASED}\n## [${version}] - ${date}\n`),
  }
}
