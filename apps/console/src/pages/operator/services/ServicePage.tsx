import { Alert, Button, Card, Code, Stack, Text, Title } from '@mantine/core'
import { IconCopy, IconPencil, IconShieldOff } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { profileCheckQuery, type ServiceVersion, serviceVersionQuery } from '../../../api/services.ts'
import { profileText } from '../../../model/profile/profileText.ts'
import { CodeBlock } from '../../../shared/CodeBlock.tsx'
import { PageFrame } from '../../../shared/PageFrame.tsx'
import { Failure, Loading } from '../../../shared/states.tsx'
import { Time } from '../../../shared/Time.tsx'
import { Untrusted } from '../../../shared/untrusted/Untrusted.tsx'
import { Panel } from '../Panel.tsx'
import { ExampleRequest } from './ExampleRequest.tsx'
import { RemoveService } from './RemoveService.tsx'
import { ServiceFacts } from './ServiceFacts.tsx'
import { UNSIGNED } from './serviceWords.ts'

export const SERVICES_TRAIL = [{ to: '/operator/services', label: 'Services' }]

/** A service with its profile and an example request. */
export function ServicePage() {
  const { name } = useParams({ from: '/operator/services/$name' })
  const read = useQuery(serviceVersionQuery(name))
  if (read.data === undefined) {
    return (
      <PageFrame title="Service" trail={SERVICES_TRAIL}>
        {read.isError ? <Failure error={read.error} retry={() => void read.refetch()} /> : <Loading />}
      </PageFrame>
    )
  }
  const { service } = read.data
  return (
    <PageFrame
      title={service.title}
      trail={SERVICES_TRAIL}
      {...(service.description === '' ? {} : { lead: <Untrusted>{service.description}</Untrusted> })}
      actions={<Actions service={service} />}
    >
      {service.unsigned && (
        <Alert
          color="red"
          variant="light"
          icon={<IconShieldOff size={20} />}
          title="Requests are not signed"
          role="note"
        >
          {UNSIGNED}
        </Alert>
      )}
      <Card withBorder component="section">
        <ServiceFacts service={service} />
      </Card>
      {service.warnings.length > 0 && <Warnings service={service} />}
      <Example text={profileText(service.profile)} />
      <Card withBorder component="section">
        <Stack gap="sm">
          <Title order={2} size="h3">
            Profile
          </Title>
          {service.built_in && (
            <Text size="sm" c="dimmed">
              This profile is built in and cannot be changed. Copy it as a new service to change it.
            </Text>
          )}
          <CodeBlock
            text={profileText(service.profile)}
            what="profile as JSON"
            wrap={false}
            maxHeight={480}
          />
        </Stack>
      </Card>
      {service.versions.length > 0 && <Versions service={service} />}
      <Card withBorder component="section">
        <Stack gap="sm">
          <Title order={2} size="h3">
            Create a workspace
          </Title>
          <Text size="sm">
            Call <Code>POST&nbsp;/admin/v1/workspaces</Code>, or run:
          </Text>
          <CodeBlock text={makingWorkspace(service.name)} what="command" language="bash" />
        </Stack>
      </Card>
    </PageFrame>
  )
}

const makingWorkspace = (name: string) => `posthorn workspace create \\
  --profile ${name} \\
  --slug acme --name Acme`

type Props = Pick<ServiceVersion, 'service'>

function Actions({ service }: Props) {
  const { name, built_in } = service
  return (
    <>
      <Button
        component={Link}
        to="/operator/new-service"
        search={{ from: name } as never}
        variant="default"
        leftSection={<IconCopy size={16} />}
      >
        Copy as a new service
      </Button>
      {!built_in && (
        <>
          <RemoveService service={service} />
          <Button
            component={Link}
            to={`/operator/services/${name}/edit`}
            leftSection={<IconPencil size={16} />}
          >
            Edit service
          </Button>
        </>
      )}
    </>
  )
}

const Warnings = ({ service: { warnings } }: Props) => (
  <Card withBorder component="section">
    <Stack gap="sm">
      <Title order={2} size="h3">
        Warnings
      </Title>
      <ul className="ph-entries">
        {warnings.map(({ pointer, message }) => (
          <Text component="li" size="sm" key={`${pointer} ${message}`} className="ph-entry" py={6}>
            {pointer !== '' && (
              <>
                <Untrusted mono>{pointer}</Untrusted>{' '}
              </>
            )}
            <Untrusted>{message}</Untrusted>
          </Text>
        ))}
      </ul>
    </Stack>
  </Card>
)

/** An example request from the service's check. */
function Example({ text }: { readonly text: string }) {
  const read = useQuery(profileCheckQuery(text))
  const request = read.data?.request ?? null
  return (
    <Card withBorder component="section">
      <Stack gap="sm">
        <Title order={2} size="h3">
          Example request
        </Title>
        {read.isPending && <Loading rows={3} />}
        {read.isError && <Failure error={read.error} retry={() => void read.refetch()} />}
        {request !== null && <ExampleRequest request={request} />}
        {read.isSuccess && request === null && (
          <Text size="sm" c="dimmed">
            This profile has errors, so there is no example.
          </Text>
        )}
      </Stack>
    </Card>
  )
}

function Versions({ service: { name, version } }: Props) {
  const read = useQuery({ ...serviceVersionQuery(name), select: ({ service }) => service.versions })
  return (
    <Panel title="Versions" read={read} empty="">
      {(versions) => (
        <>
          <Text size="sm" c="dimmed">
            Old versions are kept while the delivery log contains requests that were sent with them.
          </Text>
          <ul className="ph-entries">
            {versions.map((one) => (
              <Text component="li" size="sm" key={one.version} className="ph-entry" py={6}>
                Version {one.version}
                {one.version === version && ' (current)'}, <Time at={one.made_at} />
              </Text>
            ))}
          </ul>
        </>
      )}
    </Panel>
  )
}
