import { Alert, Code, Text } from '@mantine/core'
import { IconUserCheck } from '@tabler/icons-react'
import type { Operator } from '../../../api/operator.ts'
import { Untrusted } from '../../../shared/untrusted/Untrusted.tsx'

/** Says that somebody may come now, and how they do: nobody writes to them by themselves. */
export function AddedOperator(props: { readonly operator: Operator; readonly onClose: () => void }) {
  const { operator, onClose } = props
  return (
    <Alert
      color="green"
      variant="light"
      role="status"
      icon={<IconUserCheck size={20} />}
      title={
        <>
          <Untrusted>{operator.name}</Untrusted> may sign in as an operator now
        </>
      }
      withCloseButton
      closeButtonLabel="Dismiss"
      onClose={onClose}
    >
      <Text size="sm" component="div">
        No message was sent. They ask for a link with <Untrusted>{operator.email}</Untrusted> at{' '}
        <Code className="ph-wrap">{`${window.location.origin}/sign-in`}</Code>, or you give them the one that{' '}
        <Code>posthorn login-link --email …</Code> prints for this address.
      </Text>
    </Alert>
  )
}
