import { Group } from '@mantine/core'
import type { ServiceVersion } from '../../../api/services.ts'
import { CopyIcon } from '../../../shared/Copy.tsx'
import { Fact, Facts } from '../../../shared/Facts.tsx'
import { Time } from '../../../shared/Time.tsx'
import { Untrusted } from '../../../shared/untrusted/Untrusted.tsx'
import { typesText } from './serviceWords.ts'

export function ServiceFacts({ service }: Pick<ServiceVersion, 'service'>) {
  const { name, built_in, version, unsigned, created_at, updated_at } = service
  return (
    <Facts>
      <Fact name="Name">
        <Group gap={4} wrap="nowrap">
          <Untrusted mono>{name}</Untrusted>
          <CopyIcon value={name} what="name" />
        </Group>
      </Fact>
      {built_in ? <Fact name="Kind">built in</Fact> : <Fact name="Version">{version}</Fact>}
      <Fact name="Publishes">{typesText(service)}</Fact>
      <Fact name="Requests">{unsigned ? 'not signed' : 'signed'}</Fact>
      {created_at !== null && (
        <Fact name="Added">
          <Time at={created_at} />
        </Fact>
      )}
      {updated_at !== null && updated_at !== created_at && (
        <Fact name="Updated">
          <Time at={updated_at} />
        </Fact>
      )}
    </Facts>
  )
}
