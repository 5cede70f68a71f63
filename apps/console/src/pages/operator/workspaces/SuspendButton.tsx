import { Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { setSuspended } from '../../../api/operator.ts'
import { type Workspace, workspaceQuery } from '../../../api/provisioning.ts'
import { Dialog } from '../../../shared/Dialog.tsx'
import { showDone } from '../../../shared/notify.ts'
import { Failure } from '../../../shared/states.tsx'
import { Untrusted } from '../../../shared/untrusted/Untrusted.tsx'

/** Suspends or resumes a workspace after a confirmation. */
export function SuspendButton({ workspace }: { readonly workspace: Workspace }) {
  const [opened, { open, close }] = useDisclosure(false)
  const queryClient = useQueryClient()
  const suspended = workspace.suspended_at !== null
  const change = useMutation({
    mutationFn: () => setSuspended(workspace.id, !suspended),
    onSuccess: (changed) => {
      queryClient.setQueryData(workspaceQuery(workspace.id).queryKey, changed)
      void queryClient.invalidateQueries({ queryKey: ['operator'] })
      void queryClient.invalidateQueries({ queryKey: ['audit'] })
      showDone(suspended ? 'The workspace was resumed.' : 'The workspace was suspended.')
      close()
    },
  })
  const action = suspended ? 'Resume' : 'Suspend'
  return (
    <>
      <Button
        variant="default"
        leftSection={suspended ? <IconPlayerPlay size={16} /> : <IconPlayerPause size={16} />}
        onClick={open}
      >
        {action} workspace
      </Button>
      <Dialog
        opened={opened}
        onClose={close}
        title={
          <>
            {action} the workspace <Untrusted>{workspace.name}</Untrusted>?
          </>
        }
      >
        <Stack>
          {suspended ? (
            <Text size="sm">
              Pending deliveries are sent, oldest first. Webhooks that were already disabled or paused stay
              disabled or paused.
            </Text>
          ) : (
            <Text size="sm">
              Nothing is sent to its webhooks. Pending deliveries wait until you resume the workspace. New
              events are skipped. Members can still sign in and read.
            </Text>
          )}
          {change.isError && <Failure error={change.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button
              {...(suspended ? {} : { color: 'red' })}
              loading={change.isPending}
              onClick={() => change.mutate()}
              data-autofocus
            >
              {action} workspace
            </Button>
          </Group>
        </Stack>
      </Dialog>
    </>
  )
}
