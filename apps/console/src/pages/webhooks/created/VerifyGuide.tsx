import { Code, NativeSelect, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { CodeBlock } from '../../../shared/CodeBlock.tsx'
import { useWorkspace } from '../../../workspace/workspace.tsx'
import { snippetsFor } from '../snippets/index.ts'

/** Code that checks the signature of requests, in the language of the reader. */
export function VerifyGuide() {
  const { scheme } = useWorkspace().service.features
  const snippets = snippetsFor(scheme)
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
      {chosen.install !== null && <CodeBlock text={chosen.install} what="command that installs it" />}
      <Text size="sm">
        Save this as <Code>{chosen.file}</Code>, then run it with your secret:
      </Text>
      <CodeBlock text={chosen.code} what={`code in ${chosen.label}`} maxHeight={460} />
      <CodeBlock text={chosen.run} what="command that runs it" />
    </Stack>
  )
}
