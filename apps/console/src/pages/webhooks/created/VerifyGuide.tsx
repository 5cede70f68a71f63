import { Alert, Code, NativeSelect, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type ReceiverProgram, receiversQuery } from '../../../api/receivers.ts'
import { CodeBlock } from '../../../shared/CodeBlock.tsx'
import { Failure, Loading } from '../../../shared/states.tsx'
import { Unsigned } from '../../../shared/Unsigned.tsx'
import { useWorkspace } from '../../../workspace/workspace.tsx'

/** Code that verifies signatures, in a language of choice. */
export function VerifyGuide() {
  const { service } = useWorkspace()
  const { data, error, refetch } = useQuery({
    ...receiversQuery(service.name),
    enabled: service.features.isSigned,
  })
  if (!service.features.isSigned) return <Unsigned />
  if (error !== null) return <Failure error={error} retry={() => void refetch()} />
  return data === undefined ? <Loading /> : <Guide programs={data} />
}

function Guide({ programs }: { readonly programs: readonly ReceiverProgram[] }) {
  const [id, setId] = useState(programs.find(({ why }) => why === null)?.id)
  const chosen = programs.find((program) => program.id === id) ?? programs[0]!
  return (
    <Stack gap="xs">
      <NativeSelect
        label="Language"
        data={programs.map(({ id: value, name: label }) => ({ value, label }))}
        value={chosen.id}
        onChange={(event) => setId(event.currentTarget.value)}
        maw={320}
      />
      {chosen.why === null ? (
        <Steps program={chosen} />
      ) : (
        <Alert variant="light" color="yellow" title={`No example in ${chosen.name}`}>
          {chosen.why}
        </Alert>
      )}
    </Stack>
  )
}

function Steps({ program }: { readonly program: ReceiverProgram & { readonly why: null } }) {
  const { name, needs, checks, setup, file, code, colors, run, frameworks } = program
  return (
    <>
      <Text size="sm" c="dimmed" component="div">
        <WithCode text={`${needs} ${checks}`} />
      </Text>
      {setup.length > 0 && <CodeBlock text={setup.join('\n')} what="setup command" language="bash" />}
      <Text size="sm">
        Save this as <Code>{file}</Code>, then run it with your secret:
      </Text>
      <CodeBlock text={code} what={`code in ${name}`} language={colors} maxHeight={460} />
      <CodeBlock text={run} what="run command" language="bash" />
      {frameworks !== null && (
        <Text size="sm" component="div">
          <b>Frameworks.</b> <WithCode text={frameworks} />
        </Text>
      )}
    </>
  )
}

/** Text with code in backticks. */
const WithCode = ({ text }: { readonly text: string }) =>
  text.split('`').map((part, place) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text have no identity but their index
    place % 2 === 1 ? <Code key={place}>{part}</Code> : part,
  )
