import { Alert } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { capitalized } from '../../../../model/words.ts'
import { Time } from '../../../../shared/Time.tsx'
import { useWorkspace } from '../../../../workspace/workspace.tsx'

/** Warns before deliveries are sent to a failing receiver, and suggests how to test it. */
export function StillFailing({ since }: { readonly since: string }) {
  const { noun, canTest, resend } = useWorkspace().service.features
  const tries = [
    ...(canTest ? ['send a test'] : []),
    ...(resend === null ? [] : [`${resend.operation} one of them`]),
  ].join(' or ')
  return (
    <Alert color="yellow" variant="light" icon={<IconAlertTriangle size={18} />}>
      This {noun} has been failing since <Time at={since} as="short" />. Fix the receiver first, or these
      deliveries will fail again.{tries !== '' && ` ${capitalized(tries)} to check whether it works.`}
    </Alert>
  )
}
