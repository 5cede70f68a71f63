import { Anchor, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { isBegunWith, isEmbedded } from '../../api/credential.ts'
import { signIn, signInEmbedded } from '../../api/session.ts'
import { Failure, Loading } from '../../shared/states.tsx'
import { AnotherPerson, isAnotherPerson } from './AnotherPerson.tsx'
import { SignInFrame } from './SignInFrame.tsx'
import { takeToken } from './takeToken.ts'

/** Landing page of portal links outside of a frame. */
export function PortalPage() {
  const navigate = useNavigate()
  // The link may belong to another workspace than the previous session.
  const enter = (ws: string | null) =>
    void navigate(ws === null ? { to: '/', replace: true } : { to: '/w/$ws', params: { ws }, replace: true })
  return <EnterByPortalLink onEntered={enter} />
}

/** Follows the link in the URL without a click, unless that would sign out another user. */
export function EnterByPortalLink({ onEntered }: { readonly onEntered: (ws: string | null) => void }) {
  const [token] = useState(takeToken)
  const enter = useMutation({
    mutationFn: ({ link, replace }: { readonly link: string; readonly replace: boolean }) =>
      isEmbedded ? signInEmbedded(link) : signIn({ token: link, page: 'portal', replace }),
    onSuccess: onEntered,
  })
  const began = useRef(false)
  const { mutate } = enter
  useEffect(() => {
    if (began.current) return
    began.current = true
    // After a reload the existing session continues.
    if (token === null || isBegunWith(token)) onEntered(null)
    else mutate({ link: token, replace: false })
  }, [token, mutate, onEntered])
  if (token !== null && isAnotherPerson(enter.error)) {
    return <AnotherPerson problem={enter.error} onGoOn={() => mutate({ link: token, replace: true })} />
  }
  return (
    <SignInFrame title={enter.isError ? 'This link does not work' : 'Signing in'}>
      {enter.isError ? (
        <Stack>
          <Failure error={enter.error} />
          <Text size="sm">Go back to the previous page and open your webhooks from there again.</Text>
          {!isEmbedded && (
            <Anchor href="/sign-in" size="sm">
              Sign in by e-mail instead
            </Anchor>
          )}
        </Stack>
      ) : (
        <Loading rows={2} />
      )}
    </SignInFrame>
  )
}
