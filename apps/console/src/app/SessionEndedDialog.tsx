import { Modal, Stack, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { isEmbedded } from '../api/credential.ts'
import { SignInForm } from '../pages/signIn/SignInForm.tsx'

/** Asks the user to sign in again. Only signing in closes it. */
export default function SessionEndedDialog({ opened: wanted }: { readonly opened: boolean }) {
  // Opens after it is mounted, since only then does it return the focus to its former element.
  const [opened, setOpened] = useState(false)
  useEffect(() => setOpened(wanted), [wanted])
  return (
    <Modal
      opened={opened}
      onClose={() => undefined}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title="Your session has ended"
      zIndex={500}
    >
      <Stack>
        <Text size="sm">
          {isEmbedded
            ? 'To continue, open your webhooks from the surrounding page again. Unsaved changes will be lost. If you did not store a signing secret, rotate it.'
            : 'Sign in again to continue. Your unsaved changes are kept. If you do not receive a link, you may have been removed: ask an owner of the workspace.'}
        </Text>
        {!isEmbedded && <SignInForm stays onSignedIn={() => window.dispatchEvent(new Event('focus'))} />}
      </Stack>
    </Modal>
  )
}
