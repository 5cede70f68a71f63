import { Stack, Text, Title } from '@mantine/core'
import { statusText } from '../../model/attemptHelp.ts'
import type { Attempt } from '../../model/delivery.ts'
import { Untrusted } from '../../shared/untrusted/Untrusted.tsx'
import { BodyView } from './BodyView.tsx'

/** So much of a body is kept. */
const KEPT_BYTES = 2048

/** What the receiver answered. */
export function ResponseView({ attempt: { statusCode, response } }: { readonly attempt: Attempt }) {
  return (
    <Stack gap={6}>
      <Title order={3}>Response</Title>
      {response === null ? (
        <Text size="sm" c="dimmed">
          The receiver did not answer.
        </Text>
      ) : (
        <>
          <Text size="sm" component="div">
            {statusCode !== null && statusText(statusCode)}
            {response.contentType !== null && (
              <>
                {' · '}
                <Untrusted>{response.contentType}</Untrusted>
              </>
            )}
          </Text>
          <ResponseBody body={response.body} bodyEncoding={response.bodyEncoding} />
        </>
      )}
    </Stack>
  )
}

type Body = Pick<NonNullable<Attempt['response']>, 'body' | 'bodyEncoding'>

function ResponseBody({ body, bodyEncoding }: Body) {
  if (body === null || bodyEncoding === null) {
    return (
      <Text size="sm" c="dimmed">
        Body: not shown to you
      </Text>
    )
  }
  return (
    <>
      <BodyView body={body} encoding={bodyEncoding} what="response body" empty="Its body was empty." />
      {sizeOf(body, bodyEncoding) >= KEPT_BYTES - LONGEST_CHARACTER && (
        <Text size="xs" c="dimmed">
          The first 2 KB are kept; there may have been more.
        </Text>
      )}
    </>
  )
}

/** A character that was cut at the end is left out of a text. */
const LONGEST_CHARACTER = 3

function sizeOf(body: string, encoding: 'utf-8' | 'base64'): number {
  return encoding === 'base64' ? Math.floor((body.length * 3) / 4) - 2 : new TextEncoder().encode(body).length
}
