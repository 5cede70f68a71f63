import { Alert, Button, Code, Group } from '@mantine/core'
import { IconArrowRight, IconPlayerPause } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { workspaceQuery } from '../../../api/provisioning.ts'
import { CopyIcon } from '../../../shared/Copy.tsx'
import { PageFrame } from '../../../shared/PageFrame.tsx'
import { Failure, Loading } from '../../../shared/states.tsx'
import { StatsPanel } from '../../../shared/stats/StatsPanel.tsx'
import { Time } from '../../../shared/Time.tsx'
import { ServiceName } from '../ServiceName.tsx'
import { Keys } from './Keys.tsx'
import { Members } from './Members.tsx'
import { SuspendButton } from './SuspendButton.tsx'

const TRAIL = [{ to: '/operator/workspaces', label: 'Workspaces' }]

/** A workspace for operators: metrics, members, keys and suspension. */
export function WorkspacePage() {
  const { ws } = useParams({ from: '/operator/workspaces/$ws' })
  const read = useQuery(workspaceQuery(ws))
  if (read.data === undefined) {
    return (
      <PageFrame title="Workspace" trail={TRAIL}>
        {read.isError ? <Failure error={read.error} retry={() => void read.refetch()} /> : <Loading />}
      </PageFrame>
    )
  }
  const { id, name, slug, dialect, suspended_at, created_at } = read.data
  return (
    <PageFrame
      title={name}
      trail={TRAIL}
      badge={<ServiceName dialect={dialect} />}
      lead={
        <Group gap={6}>
          <Code>{slug}</Code>
          <Group gap={2} wrap="nowrap">
            <Code className="ph-wrap">{id}</Code>
            <CopyIcon value={id} what="workspace id" />
          </Group>
          <span>
            created <Time at={created_at} as="relative" />
          </span>
        </Group>
      }
      actions={
        <>
          <SuspendButton workspace={read.data} />
          <Button component={Link} to={`/w/${id}`} rightSection={<IconArrowRight size={16} />}>
            Open workspace
          </Button>
        </>
      }
    >
      {suspended_at !== null && (
        <Alert color="yellow" variant="light" icon={<IconPlayerPause size={18} />} title="Suspended">
          Since <Time at={suspended_at} />. Nothing is sent to its webhooks until it is resumed.
        </Alert>
      )}
      <StatsPanel scope={{ of: 'workspace', ws: id }} />
      <Members ws={id} />
      <Keys ws={id} />
    </PageFrame>
  )
}
