import { Alert, Button, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { type Session, sessionQuery, signIn } from '../../api/session.ts'
import { Failure } from '../../shared/states.tsx'
import { Untrusted } from '../../shared/untrusted/Untrusted.tsx'
import { AnotherPerson, isAnotherPerson } from './AnotherPerson.tsx'
import { keepArrival, takeArrival } from './arrival.ts'
import { providerName } from './provider.ts'
import { type ProviderFailure, providerFailure } from './providerFailure.ts'
import { SignInForm } from './SignInForm.tsx'
import { SignInFrame } from './SignInFrame.tsx'
import { takeToken } from './takeToken.ts'
import { useSignedInElsewhere } from './useSignedInElsewhere.ts'

/** The landing page of sign-in links. Without a link, it offers the ways to sign in. */
export function SignInPage() {
  const { to, left = false } = useSearch({ from: '/sign-in' })
  const navigate = useNavigate()
  const [fragment, setFragment] = useState(takeToken)
  const failure = providerFailure(fragment)
  const queryClient = useQueryClient()
  const enter = () => {
    const session = queryClient.getQueryData(sessionQuery.queryKey)
    void navigate({ href: to ?? takeArrival(session?.email ?? null) ?? '/', replace: true })
  }
  const [asked, setAsked] = useState(false)
  const [byEmail, setByEmail] = useState(true)
  useSignedInElsewhere(asked, enter)
  if (fragment !== null && failure === null) {
    return <FollowLink token={fragment} onSignedIn={enter} onNewLink={() => setFragment(null)} />
  }
  return (
    <SignInFrame
      title="Sign in"
      {...(byEmail && providerName() === null
        ? { lead: 'You get a link by e\u2011mail. There is no password.' }
        : {})}
    >
      {left && (
        <Alert variant="light" color="green" role="status">
          You are signed out.
        </Alert>
      )}
      {failure !== null && <NotSignedIn failure={failure} />}
      <SignInForm
        to={to}
        onAsked={(email) => {
          keepArrival(email, to)
          setAsked(true)
        }}
        onSignedIn={enter}
        onSwitched={(asOperator) => setByEmail(!asOperator)}
      />
    </SignInFrame>
  )
}

/** Why the sign-in by the identity provider failed. */
function NotSignedIn({ failure: { title, text, email } }: { readonly failure: ProviderFailure }) {
  return (
    <Alert variant="light" color="orange" title={title} role="alert">
      {email !== null && (
        <Text size="sm" fw={600} className="ph-wrap" component="div">
          <Untrusted>{email}</Untrusted>
        </Text>
      )}
      <Text size="sm">{text}</Text>
    </Alert>
  )
}

/** Requires a click, since e-mail scanners open links as well. */
function FollowLink(props: {
  readonly token: string
  readonly onSignedIn: () => void
  readonly onNewLink: () => void
}) {
  const follow = useMutation({
    mutationFn: (replace: boolean) => signIn({ token: props.token, page: 'sign-in', replace }),
    onSuccess: props.onSignedIn,
  })
  // Users may open an old e-mail to return to the console.
  const session = useQuery({ ...sessionQuery, enabled: follow.isError })
  if (isAnotherPerson(follow.error)) {
    return <AnotherPerson problem={follow.error} onGoOn={() => follow.mutate(true)} />
  }
  if (follow.isError && session.data) return <SignedInAlready session={session.data} />
  return (
    <SignInFrame title="Your sign-in link" lead="It works once.">
      {follow.isError ? (
        <>
          <Failure error={follow.error} />
          <Button onClick={props.onNewLink}>Request a new link</Button>
        </>
      ) : (
        <Button onClick={() => follow.mutate(false)} loading={follow.isPending} data-autofocus>
          Sign in
        </Button>
      )}
    </SignInFrame>
  )
}

function SignedInAlready({ session: { email } }: { readonly session: Session }) {
  return (
    <SignInFrame title="You are signed in">
      <Text size="sm" className="ph-wrap">
        This link no longer works, but you are already signed in
        {email !== null && (
          <>
            {' '}
            as <Untrusted>{email}</Untrusted>
          </>
        )}
        .
      </Text>
      <Button component={Link} to="/">
        Go to the console
      </Button>
    </SignInFrame>
  )
}
