import { Code, Stack, Text } from '@mantine/core'
import type { ConsumersApi } from '../../../api/consumers.ts'
import { CodeBlock } from '../../../shared/CodeBlock.tsx'
import { useCommands } from './useCommands.ts'

interface Props {
  readonly api: ConsumersApi
}

const EXAMPLE = 'crm-sync'

/** Commands that create and read a consumer. */
export function FirstCommands({ api }: Props) {
  const { create, read } = useCommands(api, EXAMPLE)
  const text = `# Create it. It starts with new events.\n${create}\n# Fetch its events.\n${read}`
  return <CodeBlock text={text} what="commands that create and read one" language="bash" />
}

/** How to fetch the events of a consumer. */
export function ReadGuide({ api, name }: Props & { readonly name: string }) {
  const { read, acknowledge, stream, follow } = useCommands(api, name)
  return (
    <Stack gap="sm">
      <Text size="sm">
        <b>1. Fetch events.</b> The request waits up to 30 seconds for events. <Code>$API_KEY</Code> is an API
        key of this workspace. Operators create API keys.
      </Text>
      <CodeBlock text={read} what="command that fetches events" language="bash" />
      <Text size="sm">
        <b>2. Acknowledge processed events.</b> Replace <Code>ACK</Code> with the <Code>ack</Code> of the
        response, or of the last event that you processed. Then fetch again.
      </Text>
      <CodeBlock text={acknowledge} what="command that acknowledges events" language="bash" />
      <Text size="sm">
        To get each event as soon as it is accepted, keep a stream open. Its ids acknowledge events in the
        same way.
      </Text>
      <CodeBlock text={stream} what="command that streams events" language="bash" />
      <Text size="sm">The command line does both: it prints events and acknowledges them.</Text>
      <CodeBlock text={follow} what="command that prints and acknowledges events" language="bash" />
    </Stack>
  )
}
