import { Code, NativeSelect, Stack, Text } from '@mantine/core'
import { useMemo, useState } from 'react'
import type { Signing } from '../../../model/signing.ts'
import { CodeBlock } from '../../../shared/CodeBlock.tsx'
import type { CodeLanguage } from '../../../shared/codeLanguage.ts'
import { Fact, Facts } from '../../../shared/Facts.tsx'
import { Unsigned } from '../../../shared/Unsigned.tsx'
import { Untrusted } from '../../../shared/untrusted/Untrusted.tsx'
import { useWorkspace } from '../../../workspace/workspace.tsx'
import { snippetsFor } from '../snippets/index.ts'
import type { Snippet } from '../snippets/snippet.ts'

/** Code that checks the signature of requests, in the language of the reader. */
export function VerifyGuide() {
  const { signing } = useWorkspace().service.features
  const snippets = useMemo(() => (signing === null ? [] : snippetsFor(signing)), [signing])
  if (signing === null) return <Unsigned />
  return snippets.length === 0 ? <Signatures signing={signing} /> : <Guide snippets={snippets} />
}

const CODE_LANGUAGE = {
  node: 'javascript',
  standardwebhooks: 'javascript',
  python: 'python',
  go: 'go',
  ruby: 'ruby',
  php: 'php',
} as const satisfies Record<Snippet['language'], CodeLanguage>

function Guide({ snippets }: { readonly snippets: readonly Snippet[] }) {
  const [language, setLanguage] = useState(snippets[0]!.language)
  const chosen = snippets.find((snippet) => snippet.language === language)!
  return (
    <Stack gap="xs">
      <NativeSelect
        label="Language"
        data={snippets.map(({ language: value, label }) => ({ value, label }))}
        value={language}
        onChange={(event) => setLanguage(event.currentTarget.value as typeof language)}
        maw={320}
      />
      <Text size="sm" c="dimmed" component="div">
        {chosen.note}
      </Text>
      {chosen.install !== null && (
        <CodeBlock text={chosen.install} what="command that installs it" language="bash" />
      )}
      <Text size="sm">
        Save this as <Code>{chosen.file}</Code>, then run it with your secret:
      </Text>
      <CodeBlock
        text={chosen.code}
        what={`code in ${chosen.label}`}
        language={CODE_LANGUAGE[chosen.language]}
        maxHeight={460}
      />
      <CodeBlock text={chosen.run} what="command that runs it" language="bash" />
    </Stack>
  )
}

/** What is signed and how, where there is no code that checks it. */
function Signatures({ signing: { headers, signatures } }: { readonly signing: Signing }) {
  return (
    <Stack gap="sm">
      {signatures.map(({ content, algorithm, encoding, each }) => (
        <Facts key={each}>
          <Fact name="What is signed">
            <Untrusted mono>{content}</Untrusted>
          </Fact>
          <Fact name="Algorithm">
            {algorithm}, written in {encoding}
          </Fact>
          <Fact name="Signature">
            <Untrusted mono>{each}</Untrusted>
          </Fact>
        </Facts>
      ))}
      <CodeBlock
        text={Object.entries(headers)
          .map(([name, template]) => `${name}: ${template}`)
          .join('\n')}
        what="headers of requests"
      />
    </Stack>
  )
}
