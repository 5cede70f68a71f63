import { Button, Group, Stack, Text } from '@mantine/core'
import { isProblem, type ProblemError } from '../../api/problem.ts'
import { plainText } from '../../shared/untrusted/pieces.ts'
import { SignInFrame } from './SignInFrame.tsx'

/** Whether a link was rejected, but not used, because another user is signed in. */
export const isAnotherPerson = (error: unknown): error is ProblemError =>
  isProblem(error) && error.code === 'signed_in_as_another'

/** Asks before a link signs out another user. */
export function AnotherPerson(props: { readonly problem: ProblemError; readonly onGoOn: () => void }) {
  return (
    <SignInFrame title="Another user is signed in">
      <Stack>
        <Text size="sm" className="ph-wrap">
          {plainText(props.problem.message)}
        </Text>
        <Text size="sm">
          Continue only if you trust the source of the link. It signs you out in this browser.
        </Text>
        <Group>
          <Button component="a" href="/" variant="default">
            Stay signed in
          </Button>
          <Button onClick={props.onGoOn}>Continue with the link</Button>
        </Group>
      </Stack>
    </SignInFrame>
  )
}
