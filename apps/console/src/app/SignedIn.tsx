import { Text } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Navigate, useRouter } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { isEmbedded } from '../api/credential.ts'
import { sessionQuery } from '../api/session.ts'
import { SignInFrame } from '../pages/signIn/SignInFrame.tsx'

/** Shows its pages to those who are signed in and leads everybody else there by way of signing in. */
export function SignedIn({ children }: { readonly children: ReactNode }) {
  const { data: session } = useSuspenseQuery(sessionQuery)
  const router = useRouter()
  // Only where they came to: while the way to sign in is loaded, the address is that way's already.
  const [href] = useState(() => router.state.location.href)
  if (session !== null) return children
  if (!isEmbedded) return <Navigate to="/sign-in" search={href === '/' ? {} : { to: href }} replace />
  return (
    <SignInFrame title="You are not signed in">
      <Text size="sm">Open your webhooks from the page around this one again.</Text>
    </SignInFrame>
  )
}
