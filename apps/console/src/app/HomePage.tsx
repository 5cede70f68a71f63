import { Button, Stack, Text } from '@mantine/core'
import { Navigate } from '@tanstack/react-router'
import { useState } from 'react'
import { isEmbedded } from '../api/credential.ts'
import { useSession } from '../api/session.ts'
import { leave } from '../layout/leave.ts'
import { EnterByPortalLink } from '../pages/signIn/PortalPage.tsx'
import { SignInFrame } from '../pages/signIn/SignInFrame.tsx'
import { Untrusted } from '../shared/untrusted/Untrusted.tsx'
import { lastWorkspace } from '../workspace/lastWorkspace.ts'
import { SignedIn } from './SignedIn.tsx'

/** Redirects to the user's workspace or to the operator pages. */
export function HomePage() {
  const [entering, setEntering] = useState(isEmbedded && window.location.hash !== '')
  if (entering) return <EnterByPortalLink onEntered={() => setEntering(false)} />
  return (
    <SignedIn>
      <Home />
    </SignedIn>
  )
}

function Home() {
  const { workspaces, operator, email } = useSession()
  const last = lastWorkspace()
  const home = workspaces.find(({ id }) => id === last) ?? workspaces[0]
  if (home !== undefined) return <Navigate to="/w/$ws" params={{ ws: home.id }} replace />
  if (operator) return <Navigate to="/operator" replace />
  return (
    <SignInFrame title="No workspace">
      <Stack>
        <Text size="sm" component="div">
          {email === null ? 'This account' : <Untrusted>{email}</Untrusted>} is not a member of any workspace.
          Ask an owner of the workspace or an operator of this service to add you.
        </Text>
        <Button onClick={() => void leave(false)}>Sign out</Button>
      </Stack>
    </SignInFrame>
  )
}
