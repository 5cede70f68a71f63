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

/** Sign-in by the identity provider, by a link sent by e-mail, or by the admin token. */
export function SignInForm(props: {
  /** Called when a link was requested for an address, which may be unknown. */
  readonly onAsked?: (email: string) => void
  /** Called when a session was created. */
  readonly onSignedIn: () => void
  /** Called when the user switches between e-mail and admin token. */
  readonly onSwitched?: (asOperator: boolean) => void
  /** Path in this console to open after the provider's sign-in. */
  readonly to?: string | undefined
  /** Whether this page stays open during the provider's sign-in. */
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
  /** Whether the identity provider is offered above. */
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
              ? `If ${email} has access, a link was sent to it.`
              : `This service has no mail server. If ${email} has access, the link is in a file in the folder "emails" of the data directory. The operator can also create one with "posthorn login-link".`}{' '}
            The link works once, within 15 minutes.
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

/** The API also accepts links here, so its error mentions both. */
const asAdminToken = (error: unknown): unknown =>
  isProblem(error, 'admin_token_invalid')
    ? new Error('The admin token is not valid for this service.')
    : error
