import { Anchor, Badge, Box, Code, Group, Stack, Text, UnstyledButton } from '@mantine/core'
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useId, useState } from 'react'
import { type AuditEntry, type AuditedThing, isAdminToken, nameText } from '../../model/audit.ts'
import { shortId } from '../../model/shortId.ts'
import { CodeBlock } from '../../shared/CodeBlock.tsx'
import { CopyIcon } from '../../shared/Copy.tsx'
import { Time } from '../../shared/Time.tsx'
import { plainText } from '../../shared/untrusted/pieces.ts'
import { Untrusted } from '../../shared/untrusted/Untrusted.tsx'
import { auditWords } from './auditWords.ts'

export interface AuditView {
  readonly noun: string
  /** Ids of the viewer, shown as "You". */
  readonly ownIds: readonly (string | null)[]
  /** Whether operators are named. Customers see only that an operator acted. */
  readonly seesOperators: boolean
  /** Page of a target; `null`: none. */
  readonly hrefOf: (entry: AuditEntry, type: string, id: string) => string | null
  /** Search parameters for the entries about one target. */
  readonly targetSearch: (id: string) => { readonly target: string }
  /** The workspace of an entry, in a log of several. */
  readonly where?: (entry: AuditEntry) => ReactNode
}

/** An entry as a sentence, with expandable details. */
export function AuditEntryRow({ entry, view }: { readonly entry: AuditEntry; readonly view: AuditView }) {
  const [open, setOpen] = useState(false)
  const details = useId()
  const { verb, object, tail } = auditWords(entry, view.noun)
  return (
    <Box component="li" p="sm" className="ph-entry">
      <Group gap="xs" wrap="nowrap" align="flex-start">
        <UnstyledButton
          onClick={() => setOpen(!open)}
          aria-expanded={open}
          aria-controls={details}
          aria-label={open ? 'Hide details' : 'Show details'}
          pt={2}
        >
          {open ? <IconChevronDown size={16} /> : <IconChevronRight size={16} />}
        </UnstyledButton>
        <Stack gap={2} style={{ flex: 1, minWidth: 0 }}>
          <Text size="sm" component="div" className="ph-wrap">
            <Actor entry={entry} view={view} /> {verb}
            {object !== null && (
              <>
                {' '}
                <Named entry={entry} view={view} thing={object} />
              </>
            )}
            {tail !== '' && <Untrusted>{tail}</Untrusted>}
          </Text>
          <Group gap="xs">
            <Text size="xs" c="dimmed" component="div">
              <Time at={entry.at} as="short" />
            </Text>
            {view.where?.(entry)}
          </Group>
          <div id={details}>{open && <Details entry={entry} view={view} />}</div>
        </Stack>
      </Group>
    </Box>
  )
}

function Actor({ entry, view }: { readonly entry: AuditEntry; readonly view: AuditView }) {
  const { type, id, name } = entry.actor
  const unnamed = unnamedActor(entry, view)
  if (unnamed !== null || id === null) {
    return (
      <Text span fw={600}>
        {unnamed ?? type}
      </Text>
    )
  }
  return (
    <>
      {isAdminToken(entry.actor) ? 'The admin token' : (ACTORS[type] ?? type)}{' '}
      <Named entry={entry} view={view} thing={{ type, id, name }} />
    </>
  )
}

/** Text for actors that are shown without a name; `null`: all others. */
function unnamedActor(entry: AuditEntry, view: AuditView): string | null {
  const { type, id, name } = entry.actor
  if (id !== null && view.ownIds.includes(id)) return 'You'
  if (type === 'system') return entry.details.by === 'provider' ? 'The identity provider' : 'The service'
  if (type !== 'operator') return null
  if (!view.seesOperators) return 'An operator of the service'
  if (id === null) return 'Someone with the admin token'
  return name !== null || isAdminToken(entry.actor) ? null : 'An operator'
}

const ACTORS: Readonly<Record<string, string>> = {
  member: 'The member',
  key: 'The API key',
  operator: 'The operator',
}

function Named(props: {
  readonly entry: AuditEntry
  readonly view: AuditView
  readonly thing: AuditedThing
}) {
  const { entry, view, thing } = props
  const { type, id } = thing
  const name = nameText(thing)
  const shown =
    name === null ? (
      <Code title={plainText(id)}>
        <Untrusted>{shortId(id)}</Untrusted>
      </Code>
    ) : (
      <Untrusted>{name}</Untrusted>
    )
  const href = view.hrefOf(entry, type, id)
  if (href === null)
    return (
      <Text span fw={600}>
        {shown}
      </Text>
    )
  return (
    <Anchor component={Link} to={href} fw={600} inherit>
      {shown}
    </Anchor>
  )
}

function Details({ entry, view }: { readonly entry: AuditEntry; readonly view: AuditView }) {
  const { action, actor, target, requestId, details, at } = entry
  const ids = [
    [target.type, target.id],
    [`by ${actor.type}`, actor.id],
    ['session', actor.sessionId],
    ['request', requestId],
  ] as const
  return (
    <Stack gap="xs" pt="xs">
      <Group gap="xs">
        <Badge variant="default" tt="none">
          <Untrusted>{action}</Untrusted>
        </Badge>
        <Text size="xs" component="div">
          <Time at={at} />
        </Text>
      </Group>
      {ids.map(([what, id]) =>
        id === null ? null : (
          <Group key={what} gap={6} wrap="nowrap">
            <Text size="xs" c="dimmed">
              {what}
            </Text>
            <Code>
              <Untrusted>{id}</Untrusted>
            </Code>
            <CopyIcon value={id} what={`id of ${what}`} />
          </Group>
        ),
      )}
      {Object.keys(details).length > 0 && (
        <CodeBlock
          text={JSON.stringify(details, null, 2)}
          what="details as JSON"
          language="json"
          maxHeight={240}
        />
      )}
      <Anchor component={Link} to="." search={view.targetSearch(target.id) as never} size="xs">
        Show all entries about this {target.type === 'webhook' ? view.noun : target.type}
      </Anchor>
    </Stack>
  )
}
