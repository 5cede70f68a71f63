import { go } from './go.ts'
import { node } from './node.ts'
import { php } from './php.ts'
import { python } from './python.ts'
import { ruby } from './ruby.ts'
import type { Scheme, Snippet } from './snippet.ts'
import { standardwebhooks } from './standardwebhooks.ts'

/** Receivers for requests of a scheme, in all languages that there are. */
export const snippetsFor = (scheme: Scheme): readonly Snippet[] => [
  node(scheme),
  ...(scheme === 'standard' ? [standardwebhooks] : []),
  ...[python, go, ruby, php].map((snippet) => snippet(scheme)),
]
