import { execFileSync } from 'node:child_process'
import path from 'node:path'

const tar = (args: readonly string[]) => execFileSync('tar', args, { encoding: 'utf8' })

/** Unpacks the output of `posthorn support`. @returns texts by name */
export function unpackBundle(file: string): Map<string, string> {
  const names = tar(['-tzf', file]).trim().split('\n')
  return new Map(names.map((name) => [path.basename(name), tar(['-xzOf', file, name])]))
}
