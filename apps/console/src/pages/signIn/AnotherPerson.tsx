import { Button, Group, Stack, Text } from '@mantine/core'
import { isProblem, type ProblemError } from '../../api/problem.ts'
import { plainText } from '../../shared/untrusted/pieces.ts'
import { SignInFrame } from './SignInFrame.tsx'

/** Whether a link was refused, and not used up, since somebody else is signed in in this browser. */
export const isAnotherPerson = (error: unknown): error is ProblemError =>
  isProblem(error) && error.code === 'signed_in_as_another'

/** Asks before a link signs somebody else out. */
export function AnotherPerson(props: { readonly problem: ProblemError; readonly onGoOn: () => void }) {
  return (
    <SignInFrame title="Somebody else is signed in">
      <Stack>
        <Text size="sm" className="ph-wrap">
          {plainText(props.problem.message)}
        </Text>
        <Text size="sm">Go on only if you know where the link comes from: it signs you out here.</Text>
        <Group>
          <Button component="a" href="/" variant="default">
            Stay signed in
          </Button>
          <Button onClick={props.onGoOn}>Go on with the link</Button>
        </Group>
      </Stack>
    </SignInFrame>
  )
}
