import { Button, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type Operator, operatorsQuery, removeOperator } from '../../../api/operator.ts'
import { Dialog } from '../../../shared/Dialog.tsx'
import { showDone } from '../../../shared/notify.ts'
import { Failure } from '../../../shared/states.tsx'
import { Untrusted } from '../../../shared/untrusted/Untrusted.tsx'

interface Removing {
  readonly onClose: () => void
  readonly onRemoved: () => void
}

/** Dialog that removes an operator after a confirmation. @param operator `null`: closed */
export function RemoveOperator(props: Removing & { readonly operator: Operator | null }) {
  const { operator, ...removing } = props
  return (
    <Dialog
      opened={operator !== null}
      onClose={removing.onClose}
      title={
        operator !== null && (
          <>
            Remove the operator <Untrusted>{operator.name}</Untrusted>?
          </>
        )
      }
    >
      {operator !== null && <Confirm operator={operator} {...removing} />}
    </Dialog>
  )
}

function Confirm({ operator, onClose, onRemoved }: Removing & { readonly operator: Operator }) {
  const queryClient = useQueryClient()
  const remove = useMutation({
    mutationFn: () => removeOperator(operator.id),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: operatorsQuery.queryKey })
      showDone(
        <>
          <Untrusted>{operator.name}</Untrusted> is no longer an operator
        </>,
      )
      onRemoved()
      onClose()
    },
  })
  return (
    <Stack>
      <Text size="sm">
        This person loses access to the operator pages, and all of their sessions end within seconds.
        Workspace memberships are unaffected.
      </Text>
      {remove.isError && <Failure error={remove.error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button color="red" loading={remove.isPending} onClick={() => remove.mutate()} data-autofocus>
          Remove operator
        </Button>
      </Group>
    </Stack>
  )
}
