import { Alert, Button, Group, Skeleton, Stack, Text, ThemeIcon, Title } from '@mantine/core'
import { IconAlertTriangle, IconCloudOff } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { errorText, isProblem, OfflineError } from '../api/problem.ts'
import { Untrusted } from './untrusted/Untrusted.tsx'

/** What a page shows while it reads: the shape of what will come. */
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

/** Why something could not be read or done, and what to do now. */
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
            If you report this, name the request: <Untrusted mono>{error.requestId}</Untrusted>
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
  if (isSignedOut(error)) return 'Nothing was done. Sign in again, then try once more.'
  return errorText(error)
}

/** What was given to sign in is wrong: no session has ended. */
const SIGN_IN_REFUSALS: readonly string[] = ['link_spent', 'admin_token_invalid']

const isSignedOut = (error: unknown) =>
  isProblem(error) && error.status === 401 && !SIGN_IN_REFUSALS.includes(error.code)

function titleOf(error: unknown): string {
  if (error instanceof OfflineError) return 'No answer'
  if (!isProblem(error)) return 'This did not work'
  if (isSignedOut(error)) return 'You were signed out'
  if (error.status === 404) return 'Not found'
  if (error.status === 403) return 'Not allowed'
  return error.status === 429 ? 'Too many for now' : 'This did not work'
}

/** There is nothing yet, and what would change that. */
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
