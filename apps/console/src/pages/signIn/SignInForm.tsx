import '@mantine/core/styles/PasswordInput.css'
import { Alert, Anchor, Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { IconMailForward } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { isProblem } from '../../api/problem.ts'
import { askForLink, signIn } from '../../api/session.ts'
import { Failure } from '../../shared/states.tsx'
import { ProviderButton } from './ProviderButton.tsx'
import { providerName } from './provider.ts'

/** Leads to the identity provider, if there is one, or asks for a link by e-mail; operators may give the admin token instead. */
export function SignInForm(props: {
  /** Once a link is on its way to this address, if it is a member's. */
  readonly onAsked?: (email: string) => void
  /** Once a session has begun here. */
  readonly onSignedIn: () => void
  /** Once somebody chooses the other way in. */
  readonly onSwitched?: (asOperator: boolean) => void
  /** Path in this console to go on to from the provider. */
  readonly to?: string | undefined
  /** Whether this page stays as it is while somebody signs in at the provider. */
  readonly stays?: boolean
}) {
  const { onAsked, onSignedIn, onSwitched, to, stays } = props
  const [asOperator, setAsOperator] = useState(false)
  return (
    <Stack>
      {asOperator ? (
        <AdminTokenForm onSignedIn={onSignedIn} />
      ) : (
        <>
          <ProviderButton to={to} inNewTab={stays} />
          <EmailForm onAsked={onAsked} isOther={providerName() !== null} />
        </>
      )}
      <Anchor
        component="button"
        type="button"
        size="sm"
        ta="center"
        onClick={() => {
          setAsOperator(!asOperator)
          onSwitched?.(!asOperator)
        }}
      >
        {asOperator ? 'Sign in by e-mail' : 'Sign in with the admin token'}
      </Anchor>
    </Stack>
  )
}

function EmailForm(props: {
  readonly onAsked: ((email: string) => void) | undefined
  /** Whether there is a way in above it. */
  readonly isOther: boolean
}) {
  const { onAsked, isOther } = props
  const [email, setEmail] = useState('')
  const ask = useMutation({ mutationFn: askForLink, onSuccess: (_, asked) => onAsked?.(asked) })
  if (ask.isSuccess) {
    return (
      <Alert
        variant="light"
        color="green"
        icon={<IconMailForward size={20} />}
        title={ask.data === 'email' ? 'Check your e-mail' : 'Ask your operator for the link'}
        role="status"
      >
        <Stack gap="xs" align="flex-start">
          <Text size="sm" className="ph-wrap">
            {ask.data === 'email'
              ? `If ${email} is known here, a link is on its way.`
              : `This service has no mail server. If ${email} is known here, the link is in a file in the folder "emails" of the data directory. The operator can also create one with "posthorn login-link".`}{' '}
            It works once, within 15 minutes.
          </Text>
          <Button size="xs" variant="default" onClick={() => ask.reset()}>
            Use another address
          </Button>
        </Stack>
      </Alert>
    )
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        ask.mutate(email.trim())
      }}
    >
      <Stack>
        <TextInput
          label="E-mail address"
          type="email"
          name="email"
          autoComplete="email"
          required
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          error={isProblem(ask.error) ? ask.error.mistakeAt('/email') : null}
          data-autofocus={!isOther || undefined}
        />
        {ask.isError && !(isProblem(ask.error) && ask.error.mistakeAt('/email') !== null) && (
          <Failure error={ask.error} />
        )}
        <Button type="submit" variant={isOther ? 'default' : 'filled'} loading={ask.isPending} fullWidth>
          Send me a link
        </Button>
      </Stack>
    </form>
  )
}

function AdminTokenForm({ onSignedIn }: { readonly onSignedIn: () => void }) {
  const [token, setToken] = useState('')
  const enter = useMutation({ mutationFn: () => signIn({ token: token.trim() }), onSuccess: onSignedIn })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        enter.mutate()
      }}
    >
      <Stack>
        <PasswordInput
          label="Admin token"
          description="POSTHORN_ADMIN_TOKEN, or the file admin-token in the data directory"
          required
          autoComplete="off"
          value={token}
          onChange={(event) => setToken(event.currentTarget.value)}
          visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the token' }}
          data-autofocus
        />
        {enter.isError && <Failure error={asAdminToken(enter.error)} />}
        <Button type="submit" loading={enter.isPending} fullWidth>
          Sign in as operator
        </Button>
      </Stack>
    </form>
  )
}

/** Links are taken where tokens are, so a refusal speaks of both; here it was a token. */
const asAdminToken = (error: unknown): unknown =>
  isProblem(error, 'admin_token_invalid')
    ? new Error('This is not the admin token that is set for this service.')
    : error
