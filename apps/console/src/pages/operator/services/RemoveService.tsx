import { Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { isProblem } from '../../../api/problem.ts'
import { removeService, type Service, servicesQuery, serviceVersionQuery } from '../../../api/services.ts'
import { Dialog } from '../../../shared/Dialog.tsx'
import { showDone } from '../../../shared/notify.ts'
import { Failure } from '../../../shared/states.tsx'
import { Untrusted } from '../../../shared/untrusted/Untrusted.tsx'

/** Removes a service after a confirmation. */
export function RemoveService({ service: { name, title } }: { readonly service: Service }) {
  const [opened, { open, close }] = useDisclosure(false)
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const remove = useMutation({
    mutationFn: async () => {
      try {
        await removeService(name)
      } catch (error) {
        // It is already removed, so the goal is reached.
        if (!isProblem(error, 'not_found')) throw error
      }
    },
    onSuccess: async () => {
      showDone(
        <>
          Removed the service <Untrusted>{title}</Untrusted>
        </>,
      )
      await navigate({ to: '/operator/services' })
      queryClient.removeQueries({ queryKey: serviceVersionQuery(name).queryKey })
      await queryClient.invalidateQueries({ queryKey: servicesQuery.queryKey })
    },
  })
  return (
    <>
      <Button color="red" variant="light" onClick={open}>
        Remove service
      </Button>
      <Dialog
        opened={opened}
        onClose={() => {
          remove.reset()
          close()
        }}
        title={
          <>
            Remove the service <Untrusted>{title}</Untrusted>?
          </>
        }
      >
        <Stack>
          <Text size="sm" component="div">
            No more workspaces can be created with <Untrusted mono>{name}</Untrusted>, and its API documents
            are removed. The profile cannot be restored: copy it first if you may need it again.
          </Text>
          {remove.isError && <Failure error={remove.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button color="red" loading={remove.isPending} onClick={() => remove.mutate()} data-autofocus>
              Remove service
            </Button>
          </Group>
        </Stack>
      </Dialog>
    </>
  )
}
