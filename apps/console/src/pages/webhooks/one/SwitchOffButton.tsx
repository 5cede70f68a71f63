import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { lazy } from 'react'
import { Dialog } from '../../../shared/Dialog.tsx'
import { useWorkspace } from '../../../workspace/workspace.tsx'

const SwitchOffQuestion = lazy(async () => ({
  default: (await import('./SwitchOffQuestion.tsx')).SwitchOffQuestion,
}))

export function SwitchOffButton({ id }: { readonly id: string }) {
  const [opened, { open, close }] = useDisclosure(false)
  const { noun } = useWorkspace().service.features
  return (
    <>
      <Button variant="default" onClick={open}>
        Switch off
      </Button>
      <Dialog opened={opened} onClose={close} title={`Switch this ${noun} off?`}>
        <SwitchOffQuestion webhookId={id} onClose={close} />
      </Dialog>
    </>
  )
}
