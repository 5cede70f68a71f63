import { Stack, Text, Title } from '@mantine/core'
import { statusText } from '../../model/attemptHelp.ts'
import type { Attempt } from '../../model/delivery.ts'
import { Untrusted } from '../../shared/untrusted/Untrusted.tsx'
import { BodyView } from './BodyView.tsx'

/** Stored length of a response body. */
const KEPT_BYTES = 2048

/** The response of the receiver. */
export function ResponseView({ attempt: { statusCode, response } }: { readonly attempt: Attempt }) {
  return (
    <Stack gap={6}>
      <Title order={3}>Response</Title>
      {response === null ? (
        <Text size="sm" c="dimmed">
          The receiver did not respond.
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
        Body: hidden
      </Text>
    )
  }
  return (
    <>
      <BodyView body={body} encoding={bodyEncoding} what="response body" empty="The body was empty." />
      {sizeOf(body, bodyEncoding) >= KEPT_BYTES - LONGEST_CHARACTER && (
        <Text size="xs" c="dimmed">
          Only the first 2 KB of a response are stored.
        </Text>
      )}
    </>
  )
}

/** A truncated character at the end is removed from a text. */
const LONGEST_CHARACTER = 3

function sizeOf(body: string, encoding: 'utf-8' | 'base64'): number {
  return encoding === 'base64' ? Math.floor((body.length * 3) / 4) - 2 : new TextEncoder().encode(body).length
}
