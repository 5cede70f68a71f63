import { Text } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Navigate, useRouter } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { isEmbedded } from '../api/credential.ts'
import { sessionQuery } from '../api/session.ts'
import { SignInFrame } from '../pages/signIn/SignInFrame.tsx'

/** Shows its pages to signed-in users, and redirects others to the sign-in page and back. */
export function SignedIn({ children }: { readonly children: ReactNode }) {
  const { data: session } = useSuspenseQuery(sessionQuery)
  const router = useRouter()
  // The initial URL: while the sign-in page loads, the location has already changed.
  const [href] = useState(() => router.state.location.href)
  if (session !== null) return children
  if (!isEmbedded) return <Navigate to="/sign-in" search={href === '/' ? {} : { to: href }} replace />
  return (
    <SignInFrame title="You are not signed in">
      <Text size="sm">Open your webhooks from the surrounding page again.</Text>
    </SignInFrame>
  )
}
