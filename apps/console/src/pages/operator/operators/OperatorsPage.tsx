import { Box, Button, Card, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus, IconUserShield } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Operator, operatorsQuery } from '../../../api/operator.ts'
import { useSession } from '../../../api/session.ts'
import { PageFrame } from '../../../shared/PageFrame.tsx'
import { Empty, Failure, Loading } from '../../../shared/states.tsx'
import { Time } from '../../../shared/Time.tsx'
import { plainText } from '../../../shared/untrusted/pieces.ts'
import { Untrusted } from '../../../shared/untrusted/Untrusted.tsx'
import { AddedOperator } from './AddedOperator.tsx'
import { AddOperator } from './AddOperator.tsx'
import { RemoveOperator } from './RemoveOperator.tsx'

/** The operators of the service. */
export function OperatorsPage() {
  const read = useInfiniteQuery(operatorsQuery)
  const [adding, { open, close }] = useDisclosure(false)
  const [added, setAdded] = useState<Operator | null>(null)
  const operators = read.data?.pages.flatMap(({ data }) => data) ?? []
  return (
    <PageFrame
      title="Operators"
      lead={`Operators have the rights of the admin token, and can view every workspace. They sign in with a link by e\u2011mail. The log of the node, not the audit log, records who adds or removes an operator.`}
      actions={
        <Button leftSection={<IconPlus size={16} />} onClick={open}>
          Add an operator
        </Button>
      }
    >
      <AddOperator opened={adding} onClose={close} onAdded={setAdded} />
      {added !== null && <AddedOperator operator={added} onClose={() => setAdded(null)} />}
      {read.isPending && <Loading />}
      {read.isError && <Failure error={read.error} retry={() => void read.refetch()} />}
      {read.isSuccess && operators.length === 0 && (
        <Empty icon={<IconUserShield size={24} />} title="No operators yet">
          Add the people who run this service. The audit log then shows their names, and they do not need to
          share the admin token.
        </Empty>
      )}
      {operators.length > 0 && <List operators={operators} onRemoved={() => setAdded(null)} />}
      {read.hasNextPage && (
        <Group justify="center">
          <Button
            variant="default"
            loading={read.isFetchingNextPage}
            onClick={() => void read.fetchNextPage()}
          >
            Load more operators
          </Button>
        </Group>
      )}
    </PageFrame>
  )
}

function List(props: { readonly operators: readonly Operator[]; readonly onRemoved: () => void }) {
  const { operators, onRemoved } = props
  const { email: own } = useSession()
  const [leaving, setLeaving] = useState<Operator | null>(null)
  return (
    <>
      <Card withBorder padding={0}>
        <ul className="ph-entries">
          {operators.map((operator) => (
            <Box component="li" key={operator.id} className="ph-entry" p="md">
              <Group justify="space-between" gap="xs">
                <Stack gap={0} style={{ minWidth: 0 }}>
                  <Text size="sm" fw={600} component="div">
                    <Untrusted>{operator.name}</Untrusted>
                    {operator.email === own && ' (you)'}
                  </Text>
                  <Text size="sm" c="dimmed" component="div">
                    <Untrusted>{operator.email}</Untrusted>, added{' '}
                    <Time at={operator.created_at} as="relative" />
                    {operator.from_provider && ' by the identity provider'}
                  </Text>
                </Stack>
                <Button
                  size="xs"
                  variant="default"
                  aria-label={`Remove operator ${plainText(operator.name)}`}
                  onClick={() => setLeaving(operator)}
                >
                  Remove operator
                </Button>
              </Group>
            </Box>
          ))}
        </ul>
      </Card>
      <RemoveOperator operator={leaving} onClose={() => setLeaving(null)} onRemoved={onRemoved} />
    </>
  )
}
