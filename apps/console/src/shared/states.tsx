import { Alert, Button, Group, Skeleton, Stack, Text, ThemeIcon, Title } from '@mantine/core'
import { IconAlertTriangle, IconCloudOff } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { errorText, isProblem, OfflineError } from '../api/problem.ts'
import { Untrusted } from './untrusted/Untrusted.tsx'

/** Placeholder while data is read. */
export function Loading({ rows = 4 }: { readonly rows?: number }) {
  return (
    <Stack gap="sm" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: placeholders are all alike
        <Skeleton key={row} height={row === 0 ? 28 : 44} radius="md" />
      ))}
    </Stack>
  )
}

/** An error, and what to do about it. */
export function Failure({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) {
  const offline = error instanceof OfflineError
  return (
    <Alert
      color="red"
      variant="light"
      role="alert"
      icon={offline ? <IconCloudOff size={20} /> : <IconAlertTriangle size={20} />}
      title={titleOf(error)}
    >
      <Stack gap="xs" align="flex-start">
        <Text size="sm" component="div">
          <Untrusted>{textOf(error)}</Untrusted>
        </Text>
        {isProblem(error) && error.status >= 500 && error.requestId !== null && (
          <Text size="xs" component="div">
            If you report this, include the request id: <Untrusted mono>{error.requestId}</Untrusted>
          </Text>
        )}
        {retry !== undefined && (
          <Button size="xs" variant="default" onClick={retry}>
            Try again
          </Button>
        )}
      </Stack>
    </Alert>
  )
}

function textOf(error: unknown): string {
  if (isSignedOut(error)) return 'Nothing was changed. Sign in again, then retry.'
  return errorText(error)
}

/** Codes of rejected sign-ins, which do not end a session. */
const SIGN_IN_REFUSALS: readonly string[] = ['link_spent', 'admin_token_invalid']

const isSignedOut = (error: unknown) =>
  isProblem(error) && error.status === 401 && !SIGN_IN_REFUSALS.includes(error.code)

function titleOf(error: unknown): string {
  if (error instanceof OfflineError) return 'No response'
  if (!isProblem(error)) return 'Request failed'
  if (isSignedOut(error)) return 'You are signed out'
  if (SIGN_IN_REFUSALS.includes(error.code)) return 'Sign-in failed'
  if (error.status === 404) return 'Not found'
  if (error.status === 403) return 'Not allowed'
  return error.status === 429 ? 'Rate limit reached' : 'Request failed'
}

/** An empty state, and how to change it. */
export function Empty(props: {
  readonly icon: ReactNode
  readonly title: string
  readonly children: ReactNode
  readonly action?: ReactNode
}) {
  return (
    <Stack align="center" gap="sm" py={48} px="md" className="ph-surface">
      <ThemeIcon variant="light" size={48} radius="xl" aria-hidden>
        {props.icon}
      </ThemeIcon>
      <Title order={2} ta="center">
        {props.title}
      </Title>
      <Text c="dimmed" ta="center" maw={460} size="sm" component="div">
        {props.children}
      </Text>
      {props.action !== undefined && <Group mt="xs">{props.action}</Group>}
    </Stack>
  )
}
