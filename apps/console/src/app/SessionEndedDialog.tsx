import { Modal, Stack, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { isEmbedded } from '../api/credential.ts'
import { SignInForm } from '../pages/signIn/SignInForm.tsx'

/** Asks to sign in again; nothing but that closes it. */
export default function SessionEndedDialog({ opened: wanted }: { readonly opened: boolean }) {
  // It opens a moment after it is there: it gives the focus back to what had it when it opened, and only then.
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
            ? 'Open your webhooks from the page around this one again to go on. Unsaved changes will be lost. If you did not store a signing secret, rotate it.'
            : 'Sign in again to go on where you are. What you typed is kept. If no link comes, somebody may have removed you: ask an owner of the workspace.'}
        </Text>
        {!isEmbedded && <SignInForm stays onSignedIn={() => window.dispatchEvent(new Event('focus'))} />}
      </Stack>
    </Modal>
  )
}
