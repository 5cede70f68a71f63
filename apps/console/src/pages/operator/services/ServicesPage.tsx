import { Anchor, Badge, Box, Button, Card, Code, Group, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconPlus, IconShieldOff } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type Service, servicesQuery } from '../../../api/services.ts'
import { counted } from '../../../model/numbers.ts'
import { PageFrame } from '../../../shared/PageFrame.tsx'
import { Failure, Loading } from '../../../shared/states.tsx'
import { Time } from '../../../shared/Time.tsx'
import { Untrusted } from '../../../shared/untrusted/Untrusted.tsx'
import { typesText, UNSIGNED, versionText } from './serviceWords.ts'

/** All services. */
export function ServicesPage() {
  const read = useQuery(servicesQuery)
  return (
    <PageFrame
      title="Services"
      lead="Each service has a profile: its event types, request body, signature and retry schedule. A workspace uses one service."
      actions={
        <Button component={Link} to="/operator/new-service" leftSection={<IconPlus size={16} />}>
          Add a service
        </Button>
      }
    >
      {read.isPending && <Loading />}
      {read.isError && <Failure error={read.error} retry={() => void read.refetch()} />}
      {read.data !== undefined && (
        <Card withBorder padding={0}>
          <ul className="ph-entries">
            {read.data.map((service) => (
              <Row key={service.name} service={service} />
            ))}
          </ul>
        </Card>
      )}
    </PageFrame>
  )
}

function Row({ service }: { readonly service: Service }) {
  const { name, title, built_in, unsigned, warnings, updated_at } = service
  return (
    <Box component="li" className="ph-entry ph-row" p="md">
      <Stack gap={6}>
        <Group justify="space-between" align="flex-start" gap="xs">
          <Stack gap={2} style={{ flex: '1 1 220px', minWidth: 0 }}>
            <Anchor
              component={Link}
              to={`/operator/services/${name}`}
              className="ph-cover"
              fw={600}
              size="sm"
            >
              <Untrusted>{title}</Untrusted>
            </Anchor>
            <Text size="xs" c="dimmed" component="div">
              <Code>{name}</Code> {typesText(service)}
              {updated_at !== null && (
                <>
                  , updated <Time at={updated_at} as="relative" />
                </>
              )}
            </Text>
          </Stack>
          <Group gap="xs">
            {warnings.length > 0 && (
              <Badge color="yellow" tt="none" leftSection={<IconAlertTriangle size={13} />}>
                {counted(warnings.length, 'warning')}
              </Badge>
            )}
            <Badge variant={built_in ? 'default' : 'light'} tt="none">
              {versionText(service)}
            </Badge>
          </Group>
        </Group>
        {unsigned && (
          <Group gap={6} wrap="nowrap" align="flex-start" c="var(--ph-bad)">
            <IconShieldOff size={16} style={{ flex: 'none', marginTop: 2 }} aria-hidden />
            <Text size="sm" c="inherit">
              Not signed. {UNSIGNED}
            </Text>
          </Group>
        )}
      </Stack>
    </Box>
  )
}
