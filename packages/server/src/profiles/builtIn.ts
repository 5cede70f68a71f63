import adsDocument from '../../profiles/ads.json' with { type: 'json' }
import contentDocument from '../../profiles/content.json' with { type: 'json' }
import type { Catalog } from '../core/catalog.ts'
import { type ServedProfile, type ServiceSettings, serviceOf } from './compile.ts'
import type { ProfileDocument } from './format.ts'
import { type Profile, profileOf } from './profile.ts'
import { standardDocument } from './standard.ts'

// JSON modules have wider types than tests prove.
const builtIn = (document: unknown): Profile => profileOf(document as ProfileDocument)

/** The content workflow service. */
export const contentProfile = builtIn(contentDocument)
/** The advertising platform. */
export const adsProfile = builtIn(adsDocument)

/** Standard Webhooks for any event: the default for services without a profile of their own. */
const standardProfile = builtIn(standardDocument)

const DOCUMENTS: Readonly<Record<string, object>> = {
  content: contentDocument,
  ads: adsDocument,
  standard: standardDocument,
}

/** A built-in profile in its source form; `null`: there is none of the name. */
export const builtInDocument = (name: string): object | null =>
  Object.hasOwn(DOCUMENTS, name) ? DOCUMENTS[name]! : null

/** Served on every store. */
export const BUILT_IN: readonly Profile[] = [contentProfile, adsProfile, standardProfile]

export const contentService = (settings: ServiceSettings = {}): ServedProfile =>
  serviceOf(contentProfile, settings)
export const adsService = (settings: ServiceSettings = {}): ServedProfile => serviceOf(adsProfile, settings)

export const standardService = (settings: ServiceSettings = {}): ServedProfile =>
  serviceOf(standardProfile, settings)

export const contentCatalog: Catalog = contentService().catalog
export const adsCatalog: Catalog = adsService().catalog
