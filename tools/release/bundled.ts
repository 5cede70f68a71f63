import type { Component } from './contents.ts'

const SECTION = /^## (?:(@[^/\s]+)\/)?(\S+) - (\d\S*) \(([^)]+)\)$/m

/** The packages in a file of licenses that a build has written. @param text as `apps/licenses.ts` writes it */
export function bundledIn(text: string): readonly Component[] {
  const parts = text.split(SECTION).slice(1)
  const components: Component[] = []
  for (let at = 0; at < parts.length; at += 5) {
    const [group, name, version, id, license] = parts.slice(at, at + 5) as [string?, ...string[]]
    const purl = `pkg:npm/${group === undefined ? '' : `${group.replace('@', '%40')}/`}${name}@${version}`
    components.push({
      type: 'library',
      ...(group === undefined ? {} : { group }),
      name: name!,
      version: version!,
      'bom-ref': purl,
      purl,
      licenses: [{ license: { id: id! } }],
      evidence: { licenses: [{ license: { id: id!, text: { content: license!.trim() } } }] },
    })
  }
  return components
}
