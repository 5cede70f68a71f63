import type { InputError } from '../validation/inputErrors.ts'
import { compileCatalog } from './compile.ts'
import type { Profile } from './profile.ts'
import { hasOnlyKeyPair } from './secrets.ts'
import { differences, shapeOf } from './shape.ts'

/**
 * Reasons why a profile cannot replace another version of it. Existing ids and secrets must stay readable in any case.
 * Published types keep their form, unless the profile says that they may change.
 * @returns errors, with pointers into the newer document; empty: it may replace it
 */
export function incompatibilities(known: Profile, next: Profile): readonly InputError[] {
  return [
    ...ofIds(known, next),
    ...ofSecrets(known, next),
    ...(next.compatibility === 'none' ? [] : ofTypes(known, next)),
  ]
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

function ofIds(known: Profile, next: Profile): readonly InputError[] {
  if (same(known.prefixes, next.prefixes)) return []
  const were = known.prefixes === null ? 'UUIDs' : `prefixed by ${Object.values(known.prefixes).join(', ')}`
  return [{ pointer: '/ids', message: `cannot be changed, because ids are in use: they are ${were}` }]
}

function ofSecrets(known: Profile, next: Profile): readonly InputError[] {
  const errors: InputError[] = []
  const { prefix, encoding } = known.secret
  if (prefix !== next.secret.prefix || encoding !== next.secret.encoding) {
    const message = `cannot be changed, because secrets are in use: they begin with "${prefix}" and are written in ${encoding}`
    errors.push({ pointer: '/secret', message })
  }
  if (hasOnlyKeyPair(next) !== hasOnlyKeyPair(known)) {
    const message = hasOnlyKeyPair(next)
      ? 'must keep an HMAC signature: secrets that are older than the ed25519 signature cannot sign without it'
      : 'must use only ed25519: the secrets of existing webhooks were never shown, so receivers cannot verify an HMAC'
    errors.push({ pointer: '/signatures', message })
  }
  return errors
}

function ofTypes(known: Profile, next: Profile): readonly InputError[] {
  const catalog = compileCatalog(next)
  const errors: InputError[] = []
  if (known.catalog.open && !next.catalog.open) {
    const message = 'must stay true, because types that are not listed may have been published'
    errors.push({ pointer: '/catalog/open', message })
  }
  for (const [type, entry] of compileCatalog(known)) {
    const now = catalog.get(type)
    const position = next.catalog.types.findIndex((one) => one.type === type)
    if (now === undefined || (position === -1 && known.catalog.types.some((one) => one.type === type))) {
      const message = `removes the published type ${type}: put it back, or set "compatibility": "none"`
      errors.push({ pointer: '/catalog/types', message })
      continue
    }
    const changes = differences(shapeOf(entry), shapeOf(now))
    if (changes.length === 0) continue
    const message = `changes the published type ${type}: ${changes.join('; ')}. Publish a new type, or set "compatibility": "none"`
    errors.push({ pointer: position === -1 ? '/test' : `/catalog/types/${position}`, message })
  }
  return errors
}
