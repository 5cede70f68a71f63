import type { Signing } from '../../../model/signing.ts'
import { go } from './go.ts'
import { node } from './node.ts'
import { otherNode } from './otherNode.ts'
import { otherPython } from './otherPython.ts'
import { php } from './php.ts'
import { python } from './python.ts'
import { ruby } from './ruby.ts'
import type { Snippet } from './snippet.ts'
import { standardwebhooks } from './standardwebhooks.ts'
import { verificationOf } from './verification.ts'

/** Receivers that verify requests, in all languages that there are; none where no secret signs. */
export function snippetsFor(signing: Signing): readonly Snippet[] {
  const verification = verificationOf(signing)
  if (verification === null) return []
  const { kind, library } = verification
  const inNode = library === null ? otherNode(verification) : node(verification)
  const others =
    kind === 'other'
      ? [otherPython(verification)]
      : [
          ...(kind === 'standard' ? [standardwebhooks(verification)] : []),
          ...[python, go, ruby, php].map((snippet) => snippet(verification)),
        ]
  return [inNode, ...others].filter((snippet) => snippet !== null)
}
