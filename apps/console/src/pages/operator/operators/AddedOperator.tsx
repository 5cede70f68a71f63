import { Alert, Code, Text } from '@mantine/core'
import { IconUserCheck } from '@tabler/icons-react'
import type { Operator } from '../../../api/operator.ts'
import { Untrusted } from '../../../shared/untrusted/Untrusted.tsx'

/** Confirms a new operator, and explains how they sign in, since no e-mail is sent. */
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
          <Untrusted>{operator.name}</Untrusted> can now sign in as an operator
        </>
      }
      withCloseButton
      closeButtonLabel="Dismiss"
      onClose={onClose}
    >
      <Text size="sm" component="div">
        No e-mail was sent. They can request a link for <Untrusted>{operator.email}</Untrusted> at{' '}
        <Code className="ph-wrap">{`${window.location.origin}/sign-in`}</Code>. You can also create a link
        with <Code>posthorn login-link --email …</Code>.
      </Text>
    </Alert>
  )
}
