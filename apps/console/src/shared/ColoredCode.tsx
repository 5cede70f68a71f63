import './coloredCode.css'
import bash from 'highlight.js/lib/languages/bash'
import csharp from 'highlight.js/lib/languages/csharp'
import go from 'highlight.js/lib/languages/go'
import java from 'highlight.js/lib/languages/java'
import javascript from 'highlight.js/lib/languages/javascript'
import json from 'highlight.js/lib/languages/json'
import php from 'highlight.js/lib/languages/php'
import python from 'highlight.js/lib/languages/python'
import ruby from 'highlight.js/lib/languages/ruby'
import rust from 'highlight.js/lib/languages/rust'
import { createLowlight } from 'lowlight'
import { type ReactNode, useMemo } from 'react'
import type { CodeLanguage } from './codeLanguage.ts'
import { UntrustedPieces } from './untrusted/Untrusted.tsx'

const lowlight = createLowlight({
  bash,
  csharp,
  go,
  java,
  javascript,
  json,
  php,
  python,
  ruby,
  rust,
} satisfies Record<CodeLanguage, unknown>)

type Tree = ReturnType<typeof lowlight.highlight>

/** Highlighted code, escaped like other untrusted text. */
export function ColoredCode({ text, language }: { readonly text: string; readonly language: CodeLanguage }) {
  const tree = useMemo(() => lowlight.highlight(language, text), [text, language])
  return <bdi className="ph-wrap ph-code">{colored(tree.children)}</bdi>
}

function colored(nodes: Tree['children']): ReactNode {
  return nodes.map((node, place) => {
    if (node.type === 'element')
      return (
        // biome-ignore lint/suspicious/noArrayIndexKey: tokens of code have no identity but their index
        <span key={place} className={(node.properties.className as readonly string[]).join(' ')}>
          {colored(node.children as Tree['children'])}
        </span>
      )
    // biome-ignore lint/suspicious/noArrayIndexKey: tokens of code have no identity but their index
    return node.type === 'text' ? <UntrustedPieces key={place} text={node.value} /> : null
  })
}
