import { Button, Card, FileButton, Group, Stack, Text, Title } from '@mantine/core'
import { IconUpload } from '@tabler/icons-react'
import { type UseMutationResult, useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useEffect, useId, useMemo, useRef, useState } from 'react'
import { profileSchemaQuery, type Service } from '../../../../api/services.ts'
import { LeaveGuard } from '../../../../shared/LeaveGuard.tsx'
import { showFailure } from '../../../../shared/notify.ts'
import { Failure, Loading } from '../../../../shared/states.tsx'
import { ExampleRequest } from '../ExampleRequest.tsx'
import type { EditorHandle } from './CodeEditor.tsx'
import classes from './form.module.css'
import { nameErrors } from './knownErrors.ts'
import { RemarkList } from './RemarkList.tsx'
import { refusedMembers, useProfileCheck } from './useProfileCheck.ts'

const CodeEditor = lazy(() => import('./CodeEditor.tsx'))

/** Size limit of the service. */
const LARGEST_FILE_BYTES = 2 * 1024 * 1024

/** Editor of a profile, with validation and an example request. */
export function ProfileForm(props: {
  readonly initial: string
  /** The service that is edited; `null`: it is new. */
  readonly edited: string | null
  /** Names of services that operators added. */
  readonly taken: readonly string[]
  /** Saves the text. */
  readonly save: UseMutationResult<Service, Error, string>
  readonly action: string
  readonly cancelTo: string
  /** Replaces the error of a rejected save. @param text the unsaved profile */
  readonly notice?: (text: string) => ReactNode
}) {
  const { initial, edited, taken, save, action, cancelTo, notice } = props
  // The props may change with each read, but the editor keeps its initial text.
  const [began] = useState(initial)
  const [text, setText] = useState(began)
  const [tried, setTried] = useState(false)
  const navigate = useNavigate()
  const editor = useRef<EditorHandle>(null)
  const described = useId()
  const { data: schema } = useQuery(profileSchemaQuery)
  const { error, variables } = save
  const known = useMemo(
    () => [...nameErrors(text, edited, taken), ...(variables === text ? refusedMembers(error) : [])],
    [text, edited, taken, variables, error],
  )
  const check = useProfileCheck(text, known)
  const firstError = check.remarks.find(({ kind }) => kind === 'error')
  const goToFirst = () => firstError !== undefined && editor.current?.goTo(firstError.from)
  const refused = save.isError && variables === text && refusedMembers(error).length > 0
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each rejected save
  useEffect(() => {
    if (refused) goToFirst()
  }, [refused])
  const submit = () => {
    setTried(true)
    if (firstError !== undefined) goToFirst()
    else if (edited !== null && text === began) void navigate({ to: cancelTo })
    else save.mutate(text)
  }
  const noticed = notice?.(text) ?? null
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (!save.isPending) submit()
      }}
    >
      <LeaveGuard active={text !== began && !save.isSuccess} title="Leave without saving?">
        The profile has changes that are not saved. They will be lost.
      </LeaveGuard>
      <div className={classes.columns}>
        <Stack gap="sm">
          <Group justify="space-between" align="flex-end" gap="xs">
            <Text size="sm" c="dimmed" id={described} flex="1 1 240px">
              Ctrl+Space shows suggestions. Tab leaves the editor.
            </Text>
            <Upload onText={(read) => editor.current?.replaceAll(read)} />
          </Group>
          <div className={classes.editor}>
            <Suspense fallback={<Loading />}>
              <CodeEditor
                ref={editor}
                initial={began}
                label="Profile as JSON"
                describedBy={described}
                schema={schema ?? null}
                remarks={check.remarks}
                onChange={setText}
              />
            </Suspense>
          </div>
          {noticed}
          {save.isError && noticed === null && refusedMembers(error).length === 0 && (
            <Failure error={error} />
          )}
          <Group>
            <Button type="submit" loading={save.isPending}>
              {action}
            </Button>
            <Button component={Link} to={cancelTo} variant="default">
              Cancel
            </Button>
            {tried && firstError !== undefined && (
              <Text size="sm" c="red" role="alert">
                Not saved. Fix the errors first.
              </Text>
            )}
          </Group>
        </Stack>
        <Stack gap="lg" miw={0}>
          <Card withBorder component="section">
            <Stack gap="xs">
              <Title order={2} size="h3">
                Check
              </Title>
              <RemarkList check={check} onChoose={({ from }) => editor.current?.goTo(from)} />
            </Stack>
          </Card>
          <Card withBorder component="section">
            <Stack gap="xs">
              <Title order={2} size="h3">
                Example request
              </Title>
              {check.request === null ? (
                <Text size="sm" c="dimmed">
                  {check.errors > 0 ? 'Fix the errors to see what receivers get.' : 'Checking…'}
                </Text>
              ) : (
                <ExampleRequest request={check.request} />
              )}
            </Stack>
          </Card>
        </Stack>
      </div>
    </form>
  )
}

/** Reads a profile from a file. */
function Upload({ onText }: { readonly onText: (text: string) => void }) {
  const reset = useRef<() => void>(null)
  const read = async (file: File | null) => {
    // Allows selecting the same file again.
    reset.current?.()
    if (file === null) return
    if (file.size > LARGEST_FILE_BYTES) {
      showFailure('The file was not loaded', new Error('A profile has at most 2 MiB.'))
      return
    }
    onText(await file.text())
  }
  return (
    <FileButton accept=".json,application/json" onChange={(file) => void read(file)} resetRef={reset}>
      {(button) => (
        <Button {...button} size="xs" variant="default" leftSection={<IconUpload size={15} />}>
          Upload a file
        </Button>
      )}
    </FileButton>
  )
}
